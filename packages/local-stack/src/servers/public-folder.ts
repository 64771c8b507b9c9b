/** A folder that everybody can reach, and that outlives a reboot. */
export const publicFolder = '/var/tmp';
