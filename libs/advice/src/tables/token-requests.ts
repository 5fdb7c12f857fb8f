import { type AdviceRow, nothingToDo } from '../advice-row.ts'

const signInAgain = 'Please sign in at your mail provider again and confirm the access.'
const askAdministrator =
  'Your organisation does not permit this access. Please ask your administrator.'
const operatorActs = `The connection of this service to your mail provider is faulty. ${nothingToDo} The operator of the service has to repair it.`
const consent = 'Send the owner a new link of the hosted form, or start the sign-in again.'

/**
 * Advice table for failed requests to OAuth2 token endpoints. The responses differ mostly by text;
 * the error codes of Microsoft (AADSTS) are part of the text.
 */
export const tokenRequests: readonly AdviceRow[] = [
  {
    id: 'token-endpoint-unavailable',
    codes: ['ETokenRefresh'],
    meaning:
      'The token endpoint of the provider does not respond, limits the requests, or has a fault.',
    action:
      'Wait: the token is requested again with growing delays. If the error lasts, check the connection to the provider.',
    ownerText: `Your mail provider has a fault at the moment. ${nothingToDo}`,
    guide: 'google-and-microsoft#what-can-go-wrong',
  },
  {
    id: 'token-second-factor',
    text: /AADSTS(?:50076|50078|50079)\b|interaction_required/i,
    example:
      'AADSTS50076: Due to a configuration change made by your administrator, you must use multi-factor authentication',
    meaning:
      'The tenant of Microsoft 365 requires a second factor, which the earlier sign-in lacks.',
    action: consent,
    ownerText: `Your organisation requires a second factor. ${signInAgain}`,
    guide: 'google-and-microsoft#microsoft-people-who-sign-in',
  },
  {
    id: 'token-reauthentication',
    text: /invalid_rapt|reauth related error|AADSTS70043\b/i,
    example: 'invalid_grant reauth related error (invalid_rapt)',
    meaning: 'The organisation limits the duration of sign-ins, and this one has ended.',
    action: `${consent} Ask the administrator to exempt the application from the session length.`,
    ownerText: `Your organisation requires a new sign-in from time to time. ${signInAgain}`,
    guide: 'google-and-microsoft#google-people-who-sign-in',
  },
  {
    id: 'token-blocked-by-policy',
    text: /AADSTS(?:53003|530032)\b|admin_policy_enforced|conditional access/i,
    example: 'AADSTS53003: Access has been blocked by Conditional Access policies.',
    meaning:
      'A policy of the organisation blocks this application or the network of this installation.',
    action:
      'Ask the administrator of the organisation to permit the application and the addresses of this installation.',
    ownerText: askAdministrator,
    guide: 'google-and-microsoft#what-can-go-wrong',
  },
  {
    id: 'token-no-consent',
    text: /AADSTS65001\b|consent_required|has not consented/i,
    example: 'AADSTS65001: The user or administrator has not consented to use the application',
    meaning: 'The consent for the application or for a scope is missing, or was withdrawn.',
    action: `${consent} Some tenants require the consent of an administrator.`,
    ownerText: signInAgain,
    guide: 'google-and-microsoft#microsoft-people-who-sign-in',
  },
  {
    id: 'token-user-gone',
    text: /AADSTS(?:50034|50057)\b|account has been deleted|service abuse mode/i,
    example: 'AADSTS50057: The user account is disabled.',
    meaning: 'The provider has disabled, locked or deleted the user.',
    action:
      'Ask the administrator or the owner whether the user still exists. If not, delete the account.',
    ownerText:
      'Your mail provider has disabled this user. Please contact your administrator or the support of your mail provider.',
    guide: 'google-and-microsoft#what-can-go-wrong',
  },
  {
    id: 'token-revoked',
    text: /expired or revoked|AADSTS(?:50173|70008|70000|700082)\b|grant is expired/i,
    example: 'Token has been expired or revoked.',
    meaning:
      'The owner has withdrawn the access, changed the password, or the access was not used for long.',
    action: consent,
    ownerText: `The access to your mailbox has ended. ${signInAgain}`,
    guide: 'google-and-microsoft#what-can-go-wrong',
  },
  {
    id: 'token-code-used',
    text: /AADSTS54005\b|malformed auth code|code was already redeemed/i,
    example: 'AADSTS54005: OAuth2 Authorization code was already redeemed',
    meaning: 'The sign-in was interrupted, took too long, or its page was opened twice.',
    action: consent,
    ownerText: 'The sign-in was not completed. Please start the sign-in again.',
    guide: 'hosted-form',
  },
  {
    id: 'token-single-page-app',
    text: /AADSTS700084\b/,
    example: 'AADSTS700084: The refresh token was issued to a single page app (SPA)',
    meaning:
      'The redirect address is registered at Microsoft as one of a single page app, whose tokens end after 24 h.',
    action:
      'Register the redirect address with the platform Web, then let the owner sign in again.',
    ownerText: operatorActs,
    guide: 'google-and-microsoft#microsoft-registration-of-the-application',
  },
  {
    id: 'token-secret-expired',
    text: /AADSTS7000222\b/,
    example: 'AADSTS7000222: The provided client secret keys for app are expired.',
    meaning:
      'The client secret of the application at Microsoft has expired. All accounts of the application are concerned.',
    action: 'Create a new client secret in Entra, and update the OAuth2 application with it.',
    ownerText: operatorActs,
    guide: 'google-and-microsoft#microsoft-registration-of-the-application',
  },
  {
    id: 'token-client-rejected',
    text: /invalid_client|unauthorized_client|deleted_client|disabled_client|AADSTS(?:7000215|700016|700027)\b|OAuth client was/i,
    example: 'invalid_client AADSTS7000215: Invalid client secret provided.',
    meaning:
      'The provider rejects the application: its id, secret, key or permissions. All accounts of the application are concerned.',
    action:
      'Verify the OAuth2 application with `POST /v1/oauth2/{app}/verify`, and correct its id and secret.',
    ownerText: operatorActs,
    guide: 'google-and-microsoft#verify',
  },
  {
    id: 'token-redirect-mismatch',
    text: /redirect_uri_mismatch|AADSTS50011\b/i,
    example: 'redirect_uri_mismatch Bad Request',
    meaning: 'The redirect address is not registered at the provider.',
    action:
      'Register `<serviceUrl>/oauth` at the provider exactly as in `redirectUrl` of the OAuth2 application.',
    ownerText: operatorActs,
    guide: 'google-and-microsoft#verify',
  },
  {
    id: 'token-scope-rejected',
    text: /invalid_scope|insufficient_scope|invalid_resource|AADSTS(?:70011|28000|500011)\b/i,
    example: 'AADSTS70011: The provided value for the input parameter scope is not valid.',
    meaning:
      'The application requests rights that the provider does not know, or rights of two services together.',
    action:
      'Correct `extraScopes` and `baseScopes` of the OAuth2 application, then let the owner sign in again.',
    ownerText: operatorActs,
    guide: 'google-and-microsoft#how-it-fits-together',
  },
  {
    id: 'token-service-account',
    text: /invalid jwt|robot is disabled|invalid email or user id|impersonation/i,
    example: 'invalid_grant Invalid JWT Signature.',
    meaning:
      'The service account of Google is disabled, its key is wrong, the clock is wrong, or the user is not in the domain.',
    action:
      'Verify the OAuth2 application, check the clock of this machine, and compare the address of the account with the domain.',
    ownerText: operatorActs,
    guide: 'google-and-microsoft#google-all-users-of-a-domain',
  },
  {
    id: 'token-tenant-unknown',
    text: /AADSTS90002\b/,
    example: "AADSTS90002: Tenant 'contoso.example' not found.",
    meaning: 'The tenant in `authority` of the OAuth2 application does not exist.',
    action: 'Correct `authority`, and check `cloud` for national clouds.',
    ownerText: operatorActs,
    guide: 'google-and-microsoft#microsoft-registration-of-the-application',
  },
  {
    id: 'token-request-invalid',
    text: /unsupported_grant_type|invalid_request|AADSTS(?:9002313|1002016)\b/i,
    example: 'unsupported_grant_type Invalid grant_type: refresh',
    meaning:
      'The token endpoint does not accept the form of the request, or the stored token is damaged.',
    action: `${consent} If other accounts fail in the same way, read the log of auth-bridge.`,
    ownerText: signInAgain,
    guide: 'google-and-microsoft#what-can-go-wrong',
  },
  {
    id: 'token-grant-rejected',
    text: /invalid_grant/i,
    example: 'invalid_grant Bad Request',
    meaning:
      'The provider no longer accepts the stored consent. At Google, consents of applications in testing end after 7 days.',
    action: `${consent} Set an application of Google from testing to in production.`,
    ownerText: signInAgain,
    guide: 'google-and-microsoft#google-people-who-sign-in',
  },
  {
    id: 'token-renewal-failed',
    codes: ['OauthRenewError'],
    meaning: 'The provider rejects the renewal of the access token.',
    action: `Read the response of the provider. ${consent}`,
    ownerText: signInAgain,
    guide: 'google-and-microsoft#what-can-go-wrong',
  },
  {
    id: 'token-generation-failed',
    codes: ['TokenGenerationError'],
    meaning: 'The provider issued no access token for the account.',
    action:
      'Verify the OAuth2 application with `POST /v1/oauth2/{app}/verify` and the id of the account.',
    ownerText: operatorActs,
    guide: 'google-and-microsoft#verify',
  },
]
