/** What the pages say, in one place. */
export const linkTexts = {
  ask: {
    title: 'Unsubscribe',
    lead: 'Do you want to stop receiving these messages?',
    button: 'Unsubscribe',
    note: 'Nothing changes until you press the button.',
  },
  left: {
    title: 'You are unsubscribed',
    lead: 'You will get no more messages of this list.',
    button: 'Subscribe again',
    note: 'Was this a mistake? You can come back at any time.',
  },
  back: {
    title: 'You are subscribed again',
    lead: 'You will get the messages of this list again.',
    button: 'Unsubscribe',
    note: 'You can leave again at any time.',
  },
  address: 'Address',
  list: 'List',
  invalid: {
    title: 'This link does not work',
    lead: 'It is incomplete, or was changed on its way. Open it again from the message, or copy it as a whole.',
  },
  unavailable: {
    title: 'Not possible right now',
    lead: 'Nothing was changed. Please try again in a minute.',
  },
  oneClick: 'Unsubscribed',
} as const
