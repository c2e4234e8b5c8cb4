/** Small things kept on this device. Where the browser keeps nothing, they live as long as the page. */

const memory = new Map();

export function put(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    memory.delete(key);
  } catch {
    memory.set(key, value);
  }
}

export function get(key) {
  if (memory.has(key)) return memory.get(key);
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

export function remove(key) {
  memory.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing was kept, so nothing is left.
  }
}

/** The keys that begin with a prefix, sorted. */
export function keys(prefix) {
  let kept = [];
  try {
    kept = Object.keys(localStorage);
  } catch {
    // Only what is in memory, then.
  }
  return [...new Set([...kept, ...memory.keys()])].filter((key) => key.startsWith(prefix)).sort();
}

/** Whether something would be lost if this page were closed. */
export const onlyInMemory = (prefix) => [...memory.keys()].some((key) => key.startsWith(prefix));
