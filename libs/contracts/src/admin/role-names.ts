/**
 * Roles of people at the administration pages, from the most to the fewest rights. An auditor reads
 * more than a support person, but changes nothing.
 */
export const adminRoles = ['owner', 'operator', 'support', 'auditor'] as const
export type AdminRole = (typeof adminRoles)[number]
