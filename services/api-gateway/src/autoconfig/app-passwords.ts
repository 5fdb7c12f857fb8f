/**
 * Instructions of mail providers for creating a password for mail clients. The API returns these
 * texts; the hosted form shows the texts in the language of the page.
 */
export const appPasswordInstructions = {
  google:
    'Turn on 2-Step Verification and make an app password at https://myaccount.google.com/apppasswords',
  yahoo:
    'Generate an app password under Account security at https://login.yahoo.com/account/security',
  aol: 'Generate an app password under Account security at https://login.aol.com/account/security',
  icloud: 'Make an app-specific password at https://account.apple.com/account/manage',
  fastmail: 'Make an app password under Settings, Privacy & Security, in Fastmail',
  zoho: 'IMAP has to be switched on in the settings of Zoho Mail; with two-factor sign-in make an application-specific password',
  yandex:
    'Allow mail programs in the settings of Yandex Mail and make an app password at https://id.yandex.com/security/app-passwords',
  mailRu:
    'Make a password for external applications at https://account.mail.ru/user/2-step-auth/passwords',
  qqMail: 'Switch IMAP on in the settings of QQ Mail and use the authorization code it gives',
  netEase: 'Switch IMAP on in the settings of the mailbox and use the authorization code it gives',
  imapOff:
    'IMAP has to be switched on in the settings; with two-factor sign-in make an application-specific password',
}

/** Name of the instructions for creating an app password. */
export type AppPasswordRule = keyof typeof appPasswordInstructions
