/**
 * Maximum number of ids of a job that selects accounts or submissions by their ids. The
 * administration pages import the limit from this file, because the file with the schemas is too
 * large for the pages.
 */
export const maxJobIds = 1_000
