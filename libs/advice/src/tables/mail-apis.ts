import { type AdviceRow, nothingToDo } from '../advice-row.ts'

/** Advice table for errors of accounts at mail APIs: Gmail API and Microsoft Graph. */
export const mailApis: readonly AdviceRow[] = [
  {
    id: 'mail-api-disabled',
    text: /accessNotConfigured|API has not been used in project/i,
    example: 'Gmail API has not been used in project 123456 before or it is disabled.',
    meaning: 'The Gmail API is switched off in the project of the application.',
    action:
      'Enable the Gmail API in the Google Cloud console, wait some minutes and reconnect the accounts.',
    ownerText: `The connection of this service to your mail provider is faulty. ${nothingToDo}`,
    guide: 'google-and-microsoft#google-project',
  },
  {
    id: 'mail-api-scope-missing',
    text: /insufficient(?: ?permissions?| authentication scopes)/i,
    example: 'Request had insufficient authentication scopes.',
    meaning: 'The owner did not grant all rights during the sign-in.',
    action: 'Let the owner sign in again and select all rights.',
    ownerText:
      'Please sign in at your mail provider again, and select all checkboxes on the page of your provider.',
    guide: 'google-and-microsoft#google-people-who-sign-in',
  },
  {
    id: 'mail-api-domain-policy',
    text: /domainPolicy|domain administrators have disabled/i,
    example: 'The domain administrators have disabled Gmail apps.',
    meaning: 'The administrator of the domain has switched off Gmail or this application.',
    action: 'Ask the administrator of the domain to permit the application.',
    ownerText: 'Your organisation does not permit this access. Please ask your administrator.',
    guide: 'google-and-microsoft#google-all-users-of-a-domain',
  },
  {
    id: 'mail-api-application-policy',
    text: /AppOnly AccessPolicy|Access to OData is disabled/i,
    example:
      'Access to OData is disabled: [RAOP] : Blocked by tenant configured AppOnly AccessPolicy settings.',
    meaning:
      'A policy of the tenant does not admit the application to this mailbox. A change of the policy takes up to 1 h.',
    action:
      'Ask the administrator of the tenant to add the mailbox to the access policy of the application.',
    ownerText: 'Your organisation does not permit this access. Please ask your administrator.',
    guide: 'google-and-microsoft#microsoft-all-mailboxes-of-a-tenant',
  },
  {
    id: 'mail-api-other-user',
    text: /delegation denied|\/me request is only valid/i,
    example: 'Delegation denied for user@example.com',
    meaning:
      'The access token is for another user than the mailbox, or the account names no mailbox.',
    action: 'Compare `oauth2.auth.user` of the account with the address of the mailbox.',
    ownerText:
      'The sign-in belongs to another mailbox. Please sign in with the user of this mailbox.',
    guide: 'google-and-microsoft#verify',
  },
  {
    id: 'mail-api-user-verification',
    text: /verify your account/i,
    example: 'Cannot send mail. Follow the instructions in your Inbox to verify your account.',
    meaning: 'The provider wants the owner to confirm that the mailbox is in use by a person.',
    action:
      'Ask the owner to log in with a browser and to follow the instructions of the provider.',
    ownerText:
      'Your mail provider wants to check that it is you. Please log in to your mailbox in a browser and follow the instructions.',
    guide: 'google-and-microsoft#what-can-go-wrong',
  },
  {
    id: 'mail-api-mail-service-off',
    text: /mail service not enabled|precondition check failed/i,
    example: 'Mail service not enabled',
    meaning: 'The user at Google has no Gmail mailbox, or the application names no user.',
    action:
      'Switch on Gmail for the user. For a service account, check the address of the account.',
    ownerText: 'Your user has no mailbox at this provider. Please ask your administrator.',
    guide: 'google-and-microsoft#google-all-users-of-a-domain',
  },
  {
    id: 'mail-api-no-mailbox',
    codes: ['MailboxNotEnabled', 'MailboxNotEnabledForRESTAPI', 'ErrorMailboxNotEnabledForRESTAPI'],
    meaning:
      'The user has no mailbox in the cloud: no licence, or the mailbox is on a server of the organisation.',
    action: 'Assign a licence with Exchange Online, or connect the account with IMAP.',
    ownerText: 'Your user has no mailbox at this provider. Please ask your administrator.',
    guide: 'google-and-microsoft#what-can-go-wrong',
  },
  {
    id: 'mail-api-access-denied',
    codes: ['AccessDenied', 'ErrorAccessDenied', 'OAuthTokenRejected'],
    meaning: 'The provider denies the access to the mailbox, although the sign-in is valid.',
    action:
      'Verify the OAuth2 application with the id of the account, and compare its permissions with the guide.',
    ownerText:
      'Your mail provider denies the access. Please sign in again, or ask your administrator.',
    guide: 'google-and-microsoft#verify',
  },
  {
    id: 'mail-api-mailbox-full',
    codes: ['QuotaExceeded', 'ErrorQuotaExceeded'],
    meaning: 'The storage of the mailbox is full.',
    action: 'Ask the owner to delete messages, or raise the quota at the provider.',
    ownerText: 'Your mailbox is full. Please delete messages that you no longer need.',
    guide: 'errors#413-422-429',
  },
  {
    id: 'mail-api-subscription-failed',
    codes: ['SubscriptionSetupError'],
    meaning:
      'The provider sends no notifications for the account. Messages are still found, but later.',
    action:
      'Check that the provider reaches `notificationBaseUrl`, and the rights of the Pub/Sub topic.',
    ownerText: `New messages may arrive some minutes late. ${nothingToDo}`,
    guide: 'google-and-microsoft#microsoft-change-notifications',
  },
  {
    id: 'mail-api-application-missing',
    codes: ['AppNotFound'],
    meaning: 'The OAuth2 application of the account was deleted or disabled.',
    action: 'Enable the application, or move the account to another application.',
    ownerText: `The connection of this service to your mail provider is faulty. ${nothingToDo}`,
    guide: 'errors#500-502-504-the-service-and-the-mail-server',
  },
  {
    id: 'mail-api-wrong-base-scopes',
    codes: ['InvalidBaseScopes'],
    meaning:
      '`baseScopes` of the OAuth2 application does not fit the account: `api` for mail APIs, `imap` for IMAP and SMTP.',
    action:
      'Register a second application with the other `baseScopes`, and move the account to it.',
    ownerText: `The connection of this service to your mail provider is faulty. ${nothingToDo}`,
    guide: 'google-and-microsoft#how-it-fits-together',
  },
  {
    id: 'mail-api-failed',
    codes: ['HTTPRequestError', 'ConnectionError', 'UnknownError'],
    meaning: 'A request to the mail API or to the authentication server failed.',
    action:
      'Wait: requests are repeated with growing delays. If the error lasts, read the response and check the status page of the provider.',
    ownerText: `Your mail provider has a fault at the moment. ${nothingToDo}`,
    guide: 'google-and-microsoft#what-can-go-wrong',
  },
]
