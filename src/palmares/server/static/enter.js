/** A page with one thing to do: Enter does it, unless something else has the focus. */

document.addEventListener("keydown", (event) => {
  const free = event.target === document.body && !event.repeat && !event.ctrlKey && !event.altKey && !event.metaKey;
  if (event.key === "Enter" && free) document.querySelector("main a.primary").click();
});
