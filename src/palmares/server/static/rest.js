/** The judge's other pages: answers that wait on this device are sent from there too, and the judge is told. */

import { showBanner } from "./banner.js";
import { Queue } from "./queue.js";
import { home, judge, request } from "./site.js";

const queue = new Queue(judge, request, { changed });
const waited = queue.waiting().length > 0;
const keep = (entry) => queue.keepStored(entry);
const replace = (entry) => queue.replace(entry);

/** The page of thanks says how much is done, and that nothing is left to do: both may be wrong now. */
function changed() {
  showBanner(queue, { keep, replace });
  if (waited && !queue.waiting().length && document.querySelector(".done")) location.assign(home);
}

showBanner(queue, { keep, replace });
queue.flush();
addEventListener("storage", changed);
addEventListener("beforeunload", (event) => queue.fragile && event.preventDefault());
