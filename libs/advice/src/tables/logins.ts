import { type AdviceRow, nothingToDo } from '../advice-row.ts'

const newPassword = 'Please enter your current password again.'

/**
 * Advice table for rejected logins at mail servers. Texts of providers come before the codes of RFC
 * 5530.
 */
export const logins: readonly AdviceRow[] = [
  {
    id: 'login-app-password',
    text: /application-specific password|app[- ]?(?:specific )?password|authorized code/i,
    example: 'Application-specific password required (Failure)',
    meaning: 'The provider accepts only an app password, not the normal password of the mailbox.',
    action: 'Ask the owner for an app password, or connect the account with OAuth2.',
    ownerText:
      'Your mail provider requires an app password. Create an app password in the security settings of your mail provider, and enter this password.',
    guide: 'connect-accounts',
  },
  {
    id: 'login-browser-required',
    codes: ['WEBALERT'],
    meaning: 'The provider requires a login in a browser before it admits mail programs.',
    action:
      'Send the owner the address in the response of the server, and reconnect the account afterwards.',
    ownerText:
      'Your mail provider wants to check that it is you. Please log in to your mailbox in a browser and confirm the access.',
    guide: 'connect-accounts',
  },
  {
    id: 'login-browser-text',
    text: /log ?in via (?:your )?(?:web )?browser|web login required/i,
    example:
      'Please log in via your web browser: https://support.google.com/mail/accounts/answer/78754',
    meaning: 'The provider requires a login in a browser before it admits mail programs.',
    action:
      'Ask the owner to log in with a browser and to confirm the access, then reconnect the account.',
    ownerText:
      'Your mail provider wants to check that it is you. Please log in to your mailbox in a browser and confirm the access.',
    guide: 'connect-accounts',
  },
  {
    id: 'login-smtp-disabled',
    text: /SmtpClientAuthentication is disabled|basic authentication is disabled/i,
    example:
      '535 5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Tenant',
    meaning: 'Microsoft 365 no longer accepts passwords for this mailbox or for the whole tenant.',
    action:
      'Connect the account with OAuth2. Otherwise an administrator of the tenant has to permit SMTP logins.',
    ownerText:
      'Your organisation does not permit this kind of login. Please connect your mailbox with the sign-in of Microsoft.',
    guide: 'google-and-microsoft#microsoft-people-who-sign-in',
  },
  {
    id: 'login-imap-disabled',
    text: /IMAP (?:is|access is) disabled|enable IMAP|IMAP not enabled/i,
    example: 'You are yet to enable IMAP for your account. Please contact your administrator',
    meaning: 'Access by IMAP is switched off in the settings of the mailbox.',
    action: 'Ask the owner to switch IMAP on at the provider, then reconnect the account.',
    ownerText:
      'Access for mail programs is switched off in your mailbox. Please switch on IMAP in the settings of your mail provider.',
    guide: 'connect-accounts',
  },
  {
    id: 'login-not-connected',
    text: /authenticated but not connected/i,
    example: 'User is authenticated but not connected.',
    meaning:
      'Exchange accepted the login but cannot open the mailbox: the token belongs to another user, IMAP is off, or the mailbox was moved.',
    action:
      'Compare the user name of the account with the owner of the mailbox, and check IMAP in the Exchange admin centre.',
    ownerText:
      'Your mailbox cannot be opened with this login. Please ask your administrator to check it.',
    guide: 'google-and-microsoft#what-can-go-wrong',
  },
  {
    id: 'login-unsafe',
    text: /unsafe login/i,
    example: 'EXAMINE Unsafe Login. Please contact kefu@188.com for help',
    meaning: 'The provider does not recognize the program that logs in.',
    action:
      'Set `imapClientName` and `imapClientVendor` to names that the provider accepts, and reconnect the account.',
    ownerText: 'Your mail provider blocks this login as unsafe. Your operator has to act.',
    guide: 'connect-accounts',
  },
  {
    id: 'login-rejected',
    codes: ['AUTHENTICATIONFAILED', 'EAUTH'],
    meaning: 'The mail server rejects the user name or the password.',
    action:
      'Ask the owner for the current password and update the account. Check that the user name is complete.',
    ownerText: `Your mail provider no longer accepts the password. ${newPassword}`,
    guide: 'connect-accounts#repair-and-change',
  },
  {
    id: 'login-not-authorized',
    codes: ['AUTHORIZATIONFAILED', 'NOPERM'],
    meaning: 'The password is right, but this user may not open the mailbox.',
    action:
      'Check the user name of a shared mailbox, and the rights of the user at the mail server.',
    ownerText:
      'This login has no right to open the mailbox. Please ask your administrator for access.',
    guide: 'connect-accounts#what-can-go-wrong',
  },
  {
    id: 'login-expired',
    codes: ['EXPIRED'],
    meaning: 'The password has expired.',
    action: 'Ask the owner to set a new password at the provider, and update the account.',
    ownerText:
      'Your mail password has expired. Please set a new password at your mail provider, and enter it here.',
    guide: 'connect-accounts#repair-and-change',
  },
  {
    id: 'login-needs-tls',
    codes: ['PRIVACYREQUIRED'],
    meaning: 'The server accepts logins only over an encrypted connection.',
    action: 'Set `secure` to true with the TLS port (993 or 465), or use STARTTLS.',
    ownerText:
      'The connection to your mail provider has to be encrypted. Your operator has to change a setting.',
    guide: 'connect-accounts#find-the-servers',
  },
  {
    id: 'login-contact-administrator',
    codes: ['CONTACTADMIN', 'REFERRAL'],
    meaning:
      'The mail server refuses the login and refers to its administrator or to another server.',
    action: 'Read the response of the server, and contact the administrator of the mail server.',
    ownerText:
      'Your mail provider has blocked the access. Please contact the support of your mail provider.',
    guide: 'connect-accounts#what-can-go-wrong',
  },
  {
    id: 'login-alert',
    codes: ['ALERT'],
    meaning: 'The mail server sent a message that a person has to read.',
    action: 'Read the response of the server and follow it.',
    ownerText:
      'Your mail provider has sent you an important message. Please log in to your mailbox in a browser.',
    guide: 'connect-accounts#what-can-go-wrong',
  },
  {
    id: 'login-no-credentials',
    codes: ['ENOAUTH', 'ECREDENTIALS'],
    meaning: 'No credentials for the mail server are available.',
    action:
      'Check that the account has a password or an OAuth2 login, and that auth-bridge is running.',
    ownerText: `The login to your mailbox is not possible at the moment. ${nothingToDo}`,
    guide: 'connect-accounts#repair-and-change',
  },
]
