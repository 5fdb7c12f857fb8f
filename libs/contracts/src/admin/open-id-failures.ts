/**
 * Reasons why a sign-in at the OpenID provider failed. The browser gets the reason in the address
 * of the sign-in page, `/admin/sign-in?error=…`, which shows a text.
 *
 * | reason | meaning |
 * |---|---|
 * | `expired` | the sign-in took over 10 minutes, was used, or began in another browser |
 * | `limited` | too many sign-ins of the network address are unfinished |
 * | `refused` | the provider refused the sign-in, or its response is not valid |
 * | `providerDown` | the provider does not respond |
 * | `notVerified` | the provider has not verified the email address |
 * | `notAdmitted` | the person has no access, or is disabled |
 * | `otherPerson` | the email address belongs to another person of the provider |
 * | `lastOwner` | the groups would take the role from the last owner |
 * | `unavailable` | Postgres or the audit log is unavailable |
 * | `failed` | any other error, which the log of admin-ui has |
 */
export const openIdFailures = [
  'expired',
  'limited',
  'refused',
  'providerDown',
  'notVerified',
  'notAdmitted',
  'otherPerson',
  'lastOwner',
  'unavailable',
  'failed',
] as const
export type OpenIdFailure = (typeof openIdFailures)[number]
