/** A folder that every user can reach and that a reboot does not empty. */
export const publicFolder = '/var/tmp';
