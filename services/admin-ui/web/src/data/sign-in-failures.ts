import { type OpenIdFailure, openIdFailures } from '@posthorn/contracts/admin/open-id-failures'

/** Texts for the reasons why a sign-in at the OpenID provider failed: what happened, what to do. */
const texts: Readonly<Record<OpenIdFailure, string>> = {
  expired:
    'The sign-in took too long, or began in another window or browser. Start the sign-in again.',
  limited: 'Too many sign-ins were started and not completed. Try again in 10 minutes.',
  refused:
    'The provider refused the sign-in, or sent a response that is not valid. Start the sign-in ' +
    'again. If it fails again, ask an operator to read the log of admin-ui.',
  providerDown: 'The provider does not respond. Try again later, or sign in in another way.',
  notVerified:
    'The provider has not verified your email address. Verify the address at the provider, then ' +
    'start the sign-in again.',
  notAdmitted: 'You have no access to these pages. Ask an owner for access.',
  otherPerson:
    'Your email address belongs to another person of the provider. Ask an owner to delete that ' +
    'person here, then start the sign-in again.',
  lastOwner:
    'Your groups at the provider no longer give the role owner, and you are the last owner. ' +
    'Ask an operator to correct the groups, or to create a link with posthorn admin-owner.',
  unavailable: 'Posthorn cannot store the sign-in at the moment. Try again later.',
  failed: 'The sign-in failed. Try again. If it fails again, ask an operator to read the log.',
}

/**
 * Text for the reason in the address of the sign-in page why a sign-in failed. Undefined without a
 * reason. An address can contain any text, so an unknown reason gets the general text.
 */
export function signInFailureText(reason: string | undefined): string | undefined {
  if (reason === undefined) return undefined
  return texts[openIdFailures.find((each) => each === reason) ?? 'failed']
}
