/** Whose page this is: what a browser keeps for somebody lies under their study and their number in it, never under a name. */

const { study, number } = document.body.dataset;

/** The study and the number of whoever is here; empty where nobody is. */
export const owner = study && number ? `${study}.${number}` : "";

/** Whether a session that the server tells of is that of whoever opened the page. */
export const isOwn = (session) => session.study === study && String(session.id) === number;
