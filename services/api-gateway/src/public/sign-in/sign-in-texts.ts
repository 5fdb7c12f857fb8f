/** What the pages of sign-ins say, in one place. */
export const signInTexts = {
  again: 'Sign in again',
  unknown: {
    title: 'This sign-in is over',
    lead: 'It was finished already, or took longer than a day. If your mailbox is not connected, please start again where you came from.',
  },
  denied: {
    title: 'Your mailbox is not connected',
    lead: 'The sign-in was cancelled, or access was not allowed. Nothing was changed.',
  },
  refused: {
    title: 'The sign-in did not work',
    lead: 'The provider of your mailbox did not confirm it. Nothing was changed.',
  },
  missing: {
    title: 'Something was not allowed',
    lead: 'To work with your mailbox all of these are needed. Sign in again and leave them ticked:',
  },
  unverified: {
    title: 'This address is not confirmed',
    lead: 'Whoever you signed in at has not checked yet that the address is yours. Confirm it there, or have it confirmed, and sign in again. Nothing was changed.',
  },
  other: {
    title: 'This is another mailbox',
    lead: 'You signed in with one mailbox, and another one is to be connected. Nothing was changed.',
    expected: 'To be connected',
    signedIn: 'You signed in with',
  },
  exists: {
    title: 'This mailbox is connected already',
    lead: 'It belongs to another account here. Nothing was changed.',
  },
  unavailable: {
    title: 'Not possible right now',
    lead: 'Your mailbox is not connected yet. Please sign in again in a minute.',
  },
} as const
