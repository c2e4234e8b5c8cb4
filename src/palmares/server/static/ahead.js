/** The following screens, fetched ahead or sent along with a receipt, so that the judge goes on at once, also without a network. */

const fetched = new Map(); // address → text of the page

export async function fetchAhead(addresses) {
  for (const address of addresses) {
    if (fetched.has(address)) continue;
    try {
      const response = await fetch(address, { headers: { Accept: "text/html" } });
      if (response.ok && !response.redirected) fetched.set(address, await response.text());
    } catch {
      return; // no network now; the screen is fetched when it is needed
    }
  }
}

/** Ask for the next HIT; the page of its first screen is then here. Gives {state, address}, or null if nothing came. */
export async function leaseAhead({ api, token }) {
  try {
    const response = await fetch(`${api}/ahead`, { method: "POST", headers: { "X-CSRF-Token": token } });
    if (!response.ok) return null;
    const { state, page } = await response.json();
    if (page) put(page.address, page.html);
    return { state, address: page?.address };
  } catch {
    return null; // the next HIT then comes with the receipt of the answer
  }
}

/** A page that came by another way. */
export function put(address, text) {
  fetched.set(address, text);
}

/** A page that says what is not so: the server is asked for another. */
export function forget(address) {
  fetched.delete(address);
}

/** Keep the page that is shown, to come back to it without a network. */
export function keep(address) {
  fetched.set(address, document.documentElement.outerHTML);
}

/** A page fetched ahead, parsed; null if there is none. */
export function page(address) {
  const text = fetched.get(address);
  return text ? new DOMParser().parseFromString(text, "text/html") : null;
}

/** Put the content of another page in place of this one's. */
export function swap(other) {
  document.querySelector("main").replaceChildren(...other.querySelector("main").childNodes);
  document.title = other.title;
  scrollTo(0, 0);
  document.getElementById("title").focus({ preventScroll: true });
}
