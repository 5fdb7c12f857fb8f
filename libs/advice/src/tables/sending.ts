import { type AdviceRow, nothingToDo } from '../advice-row.ts'

const guide = 'send#what-can-go-wrong'
const later = `Your message will be sent later. ${nothingToDo}`
const notSent = 'Your message could not be sent.'
const operatorActs = `${notSent} The operator of the service has to act.`

/** Advice table for failed attempts to send a message, by text and code of the error. */
export const sending: readonly AdviceRow[] = [
  {
    id: 'send-daily-quota',
    text: /sending quota exceeded|SubmissionQuotaExceeded|daily (?:user )?sending|ErrorExceededMessageLimit/i,
    example: '550 5.4.5 Daily user sending quota exceeded.',
    meaning: 'The mailbox has reached the number of messages per day that its provider permits.',
    action: 'Send the message again after 24 h, or use a gateway for many recipients.',
    ownerText: `${notSent} Your mailbox has reached its daily limit. Please send the message again tomorrow.`,
    guide,
  },
  {
    id: 'send-too-many-logins',
    text: /too many login attempts/i,
    example: '454 4.7.0 Too many login attempts, please try again later.',
    meaning: 'The provider limits the number of logins. The credentials are right.',
    action: 'Wait: the message is sent in a later attempt.',
    ownerText: later,
    guide,
  },
  {
    id: 'send-concurrency-limit',
    text: /(?:thread|concurrent connections) limit exceeded|STOREDRV\.ClientSubmit/i,
    example: '432 4.3.2 STOREDRV.ClientSubmit; sender thread limit exceeded',
    meaning: 'Microsoft 365 permits about three concurrent submissions per mailbox.',
    action: 'Wait: the message is sent in a later attempt.',
    ownerText: later,
    guide: 'google-and-microsoft#microsoft-limits',
  },
  {
    id: 'send-smtp-disabled',
    text: /SmtpClientAuthentication is disabled|basic authentication is disabled/i,
    example:
      '535 5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled for the Mailbox',
    meaning: 'Microsoft 365 no longer accepts passwords for sending with this mailbox or tenant.',
    action:
      'Connect the account with OAuth2. Otherwise an administrator of the tenant has to permit SMTP logins.',
    ownerText:
      'Your organisation does not permit this kind of login. Please connect your mailbox with the sign-in of Microsoft.',
    guide: 'google-and-microsoft#microsoft-people-who-sign-in',
  },
  {
    id: 'send-app-password',
    text: /application-specific password|app password|5\.7\.9\b/i,
    example: '534-5.7.9 Application-specific password required.',
    meaning: 'The provider accepts only an app password for sending.',
    action: 'Ask the owner for an app password, or connect the account with OAuth2.',
    ownerText:
      'Your mail provider requires an app password. Create an app password in the security settings of your mail provider, and enter this password.',
    guide: 'connect-accounts',
  },
  {
    id: 'send-as-denied',
    codes: ['SendAsDenied', 'ErrorSendAsDenied'],
    meaning: 'The user has no right to send with this sender address.',
    action:
      'Use the address of the account as sender, or let an administrator grant the right to send as the address.',
    ownerText: `${notSent} Your mailbox may not use this sender address.`,
    guide,
  },
  {
    id: 'send-as-denied-text',
    text: /SendAsDenied|not allowed to send as|sender address rejected: not owned/i,
    example: '554 5.2.252 SendAsDenied; jane@example.com not allowed to send as info@example.com',
    meaning: 'The user has no right to send with this sender address.',
    action:
      'Use the address of the account as sender, or let an administrator grant the right to send as the address.',
    ownerText: `${notSent} Your mailbox may not use this sender address.`,
    guide,
  },
  {
    id: 'send-blocked',
    codes: ['MessageSubmissionBlocked', 'ErrorMessageSubmissionBlocked'],
    meaning: 'The provider has blocked sending with this mailbox, usually because of spam.',
    action:
      'Ask the owner to log in with a browser, and check whether foreign programs send with the mailbox.',
    ownerText:
      'Your mail provider has blocked sending with your mailbox. Please log in with a browser, and change your password if you did not send unusual messages.',
    guide,
  },
  {
    id: 'send-blocked-text',
    text: /bad outbound sender|\b5\.1\.8\b|\[(?:PH01|TSS04)\]|message not allowed/i,
    example: '550 5.1.8 Access denied, bad outbound sender',
    meaning: 'The provider regards the sender or the message as spam.',
    action:
      'Check the content of the message and the reputation of the sender. Ask the provider to lift the block.',
    ownerText: `${notSent} Your mail provider regards the message as spam.`,
    guide: 'bounces-and-complaints#what-can-go-wrong',
  },
  {
    id: 'send-login-rejected',
    codes: ['EAUTH', 'EOAUTH2'],
    meaning: 'The outgoing server rejects the login.',
    action:
      'Update the credentials of the outgoing server, or let the owner sign in again. Waiting messages are sent afterwards.',
    ownerText: `${notSent} Your mail provider no longer accepts the password. Please enter your current password again.`,
    guide: 'connect-accounts#repair-and-change',
  },
  {
    id: 'send-token-rejected',
    codes: ['OAuthTokenRejected', 'OauthRenewError', 'TokenGenerationError', 'AccessDenied'],
    meaning: 'The provider denies sending, although the account has an access token.',
    action:
      'Verify the OAuth2 application with the id of the account, and let the owner sign in again.',
    ownerText: `${notSent} Please sign in at your mail provider again.`,
    guide: 'google-and-microsoft#verify',
  },
  {
    id: 'send-no-credentials',
    codes: ['ENOAUTH', 'ECREDENTIALS', 'ETokenRefresh'],
    meaning: 'No credentials for the outgoing server are available now.',
    action: 'Check that the account has a login for sending, and that auth-bridge is running.',
    ownerText: later,
    guide,
  },
  {
    id: 'send-no-server',
    codes: ['SMTPUnavailable', 'GatewayNotFound', 'AccountNotFound'],
    meaning: 'The account, its outgoing server or the gateway of the message no longer exists.',
    action: 'Add `smtp` to the account or create the gateway, then submit the message again.',
    ownerText: operatorActs,
    guide,
  },
  {
    id: 'send-mailbox-disabled',
    codes: ['MailboxNotEnabled'],
    meaning: 'The user has no mailbox in the cloud with which to send.',
    action: 'Assign a licence with Exchange Online, or send through SMTP.',
    ownerText: `${notSent} Your user has no mailbox at this provider. Please ask your administrator.`,
    guide: 'google-and-microsoft#what-can-go-wrong',
  },
  {
    id: 'send-mailbox-full',
    codes: ['QuotaExceeded'],
    meaning: 'The mailbox is full, so that the provider cannot store the sent message.',
    action: 'Ask the owner to delete messages. The message is then sent in a later attempt.',
    ownerText: 'Your mailbox is full. Please delete messages that you no longer need.',
    guide,
  },
  {
    id: 'send-recipient-rejected',
    codes: ['EENVELOPE', 'InvalidRecipients', 'ErrorInvalidRecipients'],
    meaning: 'The server rejects the sender or all recipients of the message.',
    action: 'Read `smtpResponse`, correct the addresses and submit the message again.',
    ownerText: `${notSent} Please check the addresses of the recipients.`,
    guide,
  },
  {
    id: 'send-too-large',
    codes: ['MessageTooLarge', 'ErrorMessageSizeExceeded'],
    meaning: 'The message is larger than the provider accepts.',
    action: 'Send large files as a link.',
    ownerText: `${notSent} The message is too large. Please send fewer or smaller attachments.`,
    guide: 'send#limits',
  },
  {
    id: 'send-message-invalid',
    codes: [
      'EMESSAGE',
      'ESMTPUTF8',
      'EREFUSED',
      'UnsupportedOperation',
      'ErrorMimeContentInvalidBase64String',
    ],
    meaning:
      'The server cannot send this message because of its content or of characters in its addresses.',
    action: 'Read the text of the error, correct the message and submit the message again.',
    ownerText: `${notSent} Please write the message again.`,
    guide,
  },
  {
    id: 'send-unsubscribed',
    codes: ['ELISTLEFT'],
    meaning: 'All recipients have unsubscribed from the list of the message.',
    action: 'No action is necessary. Do not send messages of the list to these recipients.',
    ownerText: `${notSent} The recipient has unsubscribed.`,
    guide: 'templates-merges-lists',
  },
  {
    id: 'send-egress-blocked',
    codes: ['EEGRESSBLOCKED'],
    meaning:
      'The rules of this installation forbid connections to the address or port of the outgoing server.',
    action:
      'If the server is trusted, add it to `SVC_MAIL_ALLOWED_TARGETS` or change `SVC_MAIL_EGRESS_POLICY`.',
    ownerText: operatorActs,
    guide: 'security#outgoing-connections',
  },
  {
    id: 'send-connection-failed',
    codes: [
      'ECONNECTION',
      'ECONNREFUSED',
      'ECONNRESET',
      'ETIMEDOUT',
      'ENOTFOUND',
      'EDNS',
      'ESOCKET',
      'ConnectionError',
      'EHOSTUNREACH',
      'ENETUNREACH',
      'EMAILAPI',
      'HTTPRequestError',
    ],
    meaning: 'The outgoing server or mail API cannot be reached, or the connection was lost.',
    action:
      'Wait: up to 10 attempts are made. If all messages of the account fail, check host and port of the outgoing server.',
    ownerText: later,
    guide,
  },
  {
    id: 'send-tls-failed',
    codes: [
      'ETLS',
      'EPROTO',
      'CERT_HAS_EXPIRED',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'HOSTNAME_MISMATCH',
    ],
    meaning:
      'The encryption of the connection to the outgoing server failed, or the certificate is not valid.',
    action:
      'Use `secure: true` for port 465 and `secure: false` (STARTTLS) for 587, and check the certificate of the server.',
    ownerText: operatorActs,
    guide: 'connect-accounts#find-the-servers',
  },
  {
    id: 'send-proxy-failed',
    codes: ['EPROXY'],
    meaning: 'The proxy between this installation and the outgoing server fails.',
    action: 'Check `proxy` of the account, or the settings `proxyUrl` and `proxyEnabled`.',
    ownerText: later,
    guide,
  },
  {
    id: 'send-interrupted',
    codes: ['EINTERRUPTED', 'EINTERNAL', 'EUNEXPECTED'],
    meaning:
      'The attempt was interrupted inside Posthorn. A later attempt checks whether the message was sent.',
    action: 'Wait for the next attempt. If the error repeats, read the log of sender.',
    ownerText: later,
    guide,
  },
]
