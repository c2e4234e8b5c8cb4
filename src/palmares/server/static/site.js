/** What the server put into every page of a judge: who it is for, and where requests go. */

const data = document.getElementById("judge").dataset;

export const judge = data.judge;
export const home = data.home;
export const request = () => ({ api: data.api, token: data.token });
