/** Texts of the hosted form. */
export const formTexts = {
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
    serverReply: (text: string) => `Its response: ${text}`,
    server:
      'No mail server can be used at this address and port with this security. ' +
      'Its certificate may not be valid for its name.',
    unavailable: 'The settings cannot be tested right now. Please try again in a minute.',
  },
} as const
