/** Whether source and reference of long texts are folded: known before the page is drawn, so that nothing jumps. */
(() => {
  let kept = null;
  try {
    kept = JSON.parse(localStorage.getItem("palmares:given"));
  } catch {
    // Nothing is kept in this browser.
  }
  const phone = matchMedia("(max-width: 44rem)").matches;
  document.documentElement.dataset.given = kept ?? (phone ? "closed" : "open");
})();
