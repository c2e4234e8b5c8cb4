/** What the server put into every page of a judge: who it is for, and where requests go. */

const data = document.getElementById("judge").dataset;

export const judge = data.judge;
export const home = data.home;
export const request = () => ({ api: data.api, token: data.token });
/** The state of the campaign when the page was made, and screens that were answered before it. */
export const state = data.state;
export const answeredBefore = JSON.parse(data.answered);
