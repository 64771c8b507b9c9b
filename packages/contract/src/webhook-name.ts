/** The most characters in the name of a webhook. */
export const webhookNameLength = 100;
