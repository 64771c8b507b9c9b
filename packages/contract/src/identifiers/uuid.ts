const pattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Whether a text is a UUID, as the ids of deliveries are. PostgreSQL refuses a comparison of one with any other text. */
export const isUuid = (text: string): boolean => pattern.test(text);
