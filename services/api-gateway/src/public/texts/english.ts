import { appPasswordInstructions } from '../../autoconfig/app-passwords.ts'

/**
 * English texts of the public pages. The type of the texts obliges every other language to contain
 * each text. A text contains no HTML. Parameters of a text are external values, so the pages escape
 * the result with `escapeHtml`. Only `appPasswordHint` receives escaped parameters, because its
 * instructions contain links.
 */
export const english = {
  /** Texts of the hosted form. */
  form: {
    choose: {
      title: 'Connect your mailbox',
      lead: 'Choose your mail provider.',
      other: 'Another mailbox (IMAP)',
      signIn: (name: string) => `Sign in with ${name}`,
    },
    person: {
      title: 'Connect your mailbox',
      lead: 'We look up the servers of your mail provider in the next step.',
      name: 'Your name',
      email: 'E-mail address',
      pass: 'Password of the mailbox',
      next: 'Continue',
      pinned: 'Only this mailbox can be connected.',
    },
    servers: {
      title: 'Check the settings',
      lead: 'These are the servers of your mailbox. Correct them if necessary.',
      notDiscovered:
        'We could not find the servers of this mailbox. Please ask your mail provider for them.',
      incoming: 'Incoming mail (IMAP)',
      outgoing: 'Outgoing mail (SMTP)',
      outgoingNote: 'Leave the server empty if this mailbox does not send mail.',
      host: 'Server',
      port: 'Port',
      smtpPort: 'Port (465 uses TLS, any other STARTTLS)',
      security: 'Security',
      tls: 'TLS (usual)',
      startTls: 'STARTTLS',
      user: 'User name',
      pass: 'Password',
      passNote: 'Leave empty to use the password that you have already entered.',
      smtpPassNote: 'Leave empty to use the password of incoming mail.',
      connect: 'Connect mailbox',
      test: 'Only test the settings',
      works: 'Works: we could log in.',
    },
    done: {
      title: 'Your mailbox is connected',
      lead: 'You are being redirected.',
      next: 'Continue',
    },
    used: {
      title: 'This link was used already',
      lead: 'The mailbox is connected. You do not need to do anything else.',
      next: 'Continue',
    },
    expired: {
      title: 'This link is no longer valid',
      lead: 'It has expired or was used already. Please go back to the website and request a new one.',
    },
    invalid: {
      title: 'This link does not work',
      lead: 'It is incomplete or was changed. Please go back to the website, or copy the whole link.',
    },
    exhausted: {
      title: 'Too many attempts',
      lead: 'The limit of attempts is reached. Please go back to the website and request a new link.',
    },
    unavailable: {
      title: 'Not possible right now',
      lead: 'Nothing was changed. Please try again in a minute.',
    },
    noApplication: {
      title: 'Sign-in not available',
      lead: 'This sign-in method is no longer available.',
      next: 'Show the available methods',
    },
    errors: {
      name: 'Enter a name of at most 256 characters.',
      email: 'Enter a complete e-mail address, such as ann@example.com.',
      pinned: (expected: string) => `Only ${expected} can be connected with this link.`,
      pinnedUser: (expected: string) =>
        `Only the mailbox of ${expected} can be connected. Enter that address or the part before its @.`,
      pass: 'Enter the password: one line of at most 256 characters.',
      user: 'Enter the user name: one line of at most 256 characters.',
      host: 'Enter the name of a server, such as mail.example.com.',
      port: 'Enter a number from 1 to 65535.',
      other: 'This value is not valid.',
    },
    verification: {
      login: 'The server refuses this user name and password.',
      loginWithReply: (reply: string) =>
        `The server refuses this user name and password. Its response: ${reply}`,
      server:
        'No mail server can be used at this address and port with this security. ' +
        'Its certificate may not be valid for its name.',
      unavailable: 'The settings cannot be tested right now. Please try again in a minute.',
    },
    appPasswordHint: (provider: string, instructions: string) => `${provider}: ${instructions}.`,
    appPasswords: appPasswordInstructions,
  },
  /** Texts of the pages after an OAuth2 sign-in. */
  signIn: {
    again: 'Sign in again',
    unknown: {
      title: 'This sign-in is over',
      lead: 'It is finished already, took longer than an hour or was started in another browser. If your mailbox is not connected, please go back to the website and start again.',
    },
    denied: {
      title: 'Your mailbox is not connected',
      lead: 'The sign-in was cancelled or access was not allowed. Nothing was changed.',
    },
    refused: {
      title: 'The sign-in did not work',
      lead: 'The provider of your mailbox did not confirm it. Nothing was changed.',
    },
    missing: {
      title: 'A permission is missing',
      lead: 'All of these permissions are needed. Sign in again and allow them:',
    },
    unverified: {
      title: 'This address is not confirmed',
      lead: 'The provider has not verified that this address is yours. Verify it there and sign in again. Nothing was changed.',
    },
    failure: {
      remedy: 'What to do',
      error: 'Error of the provider',
    },
    other: {
      title: 'This is another mailbox',
      lead: 'You signed in with a different mailbox than the one to connect. Nothing was changed.',
      expected: 'Mailbox to connect',
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
    /** Remedies of failed OAuth2 consents. The API returns the English texts. */
    remedies: {
      askAdministrator:
        'Ask an administrator of your organisation to approve this application, then sign in again.',
      askForAssignment:
        'Ask an administrator of your organisation to assign this application to you.',
      askOperator: 'Ask the operator of this service to correct the registration at the provider.',
      useOrganisation: 'Sign in with an account of the organisation that the application is for.',
      usePermittedDevice:
        'Sign in from a device or network that the policy of your organisation permits.',
      acceptPermissions: 'Sign in again and accept the requested permissions.',
      answerQuestions: 'Sign in again and answer every question of the provider.',
      tryLater: 'Sign in again in a few minutes.',
    },
  },
  /** Texts of the pages behind links in messages. */
  links: {
    confirm: {
      title: 'Unsubscribe',
      lead: 'Do you want to stop receiving these messages?',
      button: 'Unsubscribe',
      note: 'Nothing changes until you press the button.',
    },
    unsubscribed: {
      title: 'You are unsubscribed',
      lead: 'You will not receive messages of this list any more.',
      button: 'Subscribe again',
      note: 'If this was a mistake, you can subscribe again at any time.',
    },
    blocked: {
      title: 'You are unsubscribed',
      lead: 'You will not receive messages of this list any more.',
      note: 'Only the sender of the list can subscribe you again.',
    },
    resubscribed: {
      title: 'You are subscribed again',
      lead: 'You will receive the messages of this list again.',
      button: 'Unsubscribe',
      note: 'You can unsubscribe at any time.',
    },
    address: 'Address',
    list: 'List',
    invalid: {
      title: 'This link does not work',
      lead: 'It is incomplete or was changed. Open it again from the message, or copy the whole link.',
    },
    unavailable: {
      title: 'Not possible right now',
      lead: 'Nothing was changed. Please try again in a minute.',
    },
    oneClick: 'Unsubscribed',
  },
}

/** Texts of the public pages in one language. */
export type PageTexts = typeof english
