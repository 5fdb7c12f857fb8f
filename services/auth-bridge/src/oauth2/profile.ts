import { defined } from '@posthorn/contracts/defined'
import type {
  OAuth2AppConfig,
  OAuth2Cloud,
  OAuth2Provider,
} from '@posthorn/contracts/schemas/oauth2-app'

/** Endpoints and peculiarities of an OAuth2 provider. */
export interface Profile {
  authorizeUrl?: string
  tokenUrl?: string
  userinfoUrl?: string
  revokeUrl?: string
  /**
   * Issuer whose discovery document has the endpoints that the profile of the OAuth2 provider
   * lacks.
   */
  issuer?: string
  /**
   * Issuers that id tokens may have. The first issuer is also the issuer in callbacks. `{tenantid}`
   * stands for the claim `tid`. Empty if no issuer is known.
   */
  issuers: readonly string[]
  /** Scopes that are requested from the OAuth2 provider. */
  scopes: readonly string[]
  /** Scopes without which an OAuth2 grant is unusable. */
  requiredScopes: readonly string[]
  /** Additional parameters of the OAuth2 consent page's URL. */
  authorizeParams: Readonly<Record<string, string>>
  /** True if a request that renews an access token repeats the scopes. */
  scopesOnRefresh: boolean
  /** True if the userinfo endpoint of the OAuth2 provider reads the access token from the query. */
  userinfoTokenInQuery: boolean
}

const common = {
  issuers: [],
  authorizeParams: {},
  scopesOnRefresh: false,
  userinfoTokenInQuery: false,
}

/** Returns the profile of an OAuth2 provider. Values of the application override the defaults. */
export function profileOf(provider: OAuth2Provider, config: OAuth2AppConfig): Profile {
  const profile = profiles[provider](config)
  const { issuer, authorizeUrl, tokenUrl, userinfoUrl, revokeUrl } = config
  return {
    ...profile,
    ...defined({ issuer, authorizeUrl, tokenUrl, userinfoUrl, revokeUrl }),
    issuers: issuer === undefined ? profile.issuers : [issuer],
    ...adjustScopes(profile, config),
  }
}

/**
 * Adds `extraScopes` to the scopes of an OAuth2 application and removes `skipScopes`. The user may
 * refuse extra scopes. Exception: an extra scope for mail that replaces a skipped scope, such as
 * `gmail.send` instead of `gmail.modify`.
 */
function adjustScopes(
  { scopes, requiredScopes }: Profile,
  { extraScopes = [], skipScopes = [] }: OAuth2AppConfig,
) {
  const skipped = new Set(skipScopes.map(shortScope))
  const isWanted = (scope: string) => !skipped.has(shortScope(scope))
  const required = requiredScopes.filter(isWanted)
  const isReplaced = required.length < requiredScopes.length
  const replacing = isReplaced ? extraScopes.filter((scope) => mailScope.test(scope)) : []
  return {
    scopes: [...new Set([...scopes, ...extraScopes])].filter(isWanted),
    requiredScopes: [...new Set([...required, ...replacing])].filter(isWanted),
  }
}

/** Scopes of the Gmail API and of mail in Microsoft Graph. */
const mailScope = /(?:^|\/)(?:gmail\.[a-z.]+|Mail\.[a-z]+(?:\.Shared)?)$/i

/**
 * OAuth2 scope without its resource, in lower case: Microsoft omits the resource or changes the
 * case in responses.
 */
export function shortScope(scope: string): string {
  return scope.toLowerCase().replace(/^https:\/\/[^/]+\/(?=.)/, '')
}

const identity = ['openid', 'email', 'profile']
/** Scope that requests a refresh token (OpenID Connect Core 1.0 §11). */
const offline = 'offline_access'

const profiles: Record<OAuth2Provider, (config: OAuth2AppConfig) => Profile> = {
  gmail: gmail,
  gmailService: (config) => ({ ...gmail(config), scopes: gmailScopes(config) }),
  outlook: (config) => {
    const scopes = outlookScopes(config)
    return {
      ...outlook(config),
      scopes: [...scopes, offline, ...identity],
      requiredScopes: scopes,
      authorizeParams: { response_mode: 'query' },
      scopesOnRefresh: true,
    }
  },
  // A token request with client credentials names a resource (`.default`) instead of single scopes.
  outlookService: (config) => ({
    ...outlook(config),
    scopes: [
      config.baseScopes === 'api' ? `${cloudOf(config).graph}.default` : `${office365}.default`,
    ],
  }),
  mailRu: () => ({
    ...common,
    authorizeUrl: 'https://oauth.mail.ru/login',
    tokenUrl: 'https://oauth.mail.ru/token',
    userinfoUrl: 'https://oauth.mail.ru/userinfo',
    scopes: ['userinfo', 'mail.imap'],
    requiredScopes: [],
    authorizeParams: { prompt_force: '1' },
    userinfoTokenInQuery: true,
  }),
  generic: ({ scopes = [...identity, offline] }) => ({
    ...common,
    scopes,
    // All configured OAuth2 scopes for mail are required. Optional scopes for mail are in
    // `extraScopes`.
    requiredScopes: scopes.filter((scope) => ![...identity, offline].includes(scope)),
  }),
}

function gmail(config: OAuth2AppConfig): Profile {
  const scopes = gmailScopes(config)
  return {
    ...common,
    authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    userinfoUrl: 'https://openidconnect.googleapis.com/v1/userinfo',
    revokeUrl: 'https://oauth2.googleapis.com/revoke',
    // Id tokens of Google have either form of the issuer, as Google documents.
    issuers: ['https://accounts.google.com', 'accounts.google.com'],
    scopes: [...scopes, ...identity],
    requiredScopes: scopes,
    // Google issues a refresh token only if both `access_type=offline` and `prompt=consent` are
    // present.
    authorizeParams: { access_type: 'offline', prompt: 'consent' },
  }
}

function gmailScopes({ baseScopes = 'imap' }: OAuth2AppConfig): string[] {
  const scope = { imap: 'mail.google.com/', api: 'gmail.modify', pubsub: 'pubsub' }[baseScopes]
  return baseScopes === 'imap' ? [`https://${scope}`] : [`https://www.googleapis.com/auth/${scope}`]
}

interface Cloud {
  login: string
  /** Host of Microsoft's issuers in a cloud; absent if the issuers have only the login host. */
  issuer?: string
  graph: string
  outlook: string
}
const clouds: Record<OAuth2Cloud, Cloud> = {
  global: {
    login: 'login.microsoftonline.com',
    graph: 'https://graph.microsoft.com/',
    outlook: 'outlook.office.com',
  },
  'gcc-high': {
    login: 'login.microsoftonline.us',
    graph: 'https://graph.microsoft.us/',
    outlook: 'outlook.office365.us',
  },
  dod: {
    login: 'login.microsoftonline.us',
    graph: 'https://dod-graph.microsoft.us/',
    outlook: 'webmail.apps.mil',
  },
  china: {
    login: 'login.chinacloudapi.cn',
    issuer: 'login.partner.microsoftonline.cn',
    graph: 'https://microsoftgraph.chinacloudapi.cn/',
    outlook: 'partner.outlook.cn',
  },
}
/** Resource name of Microsoft's IMAP and SMTP servers in requests with client credentials. */
const office365 = 'https://outlook.office365.com/'

function cloudOf({ cloud = 'global' }: OAuth2AppConfig): Cloud {
  return clouds[cloud]
}

function outlook(config: OAuth2AppConfig): Profile {
  const { authority = 'common' } = config
  const { login, issuer = login } = cloudOf(config)
  const base = `https://${login}/${encodeURIComponent(authority)}/oauth2/v2.0`
  const tenant = tenantIdOf(authority) ?? '{tenantid}'
  return {
    ...common,
    issuers: [...new Set([issuer, login])].map((host) => `https://${host}/${tenant}/v2.0`),
    authorizeUrl: `${base}/authorize`,
    tokenUrl: `${base}/token`,
    scopes: [],
    requiredScopes: [],
  }
}

/**
 * Id of the Microsoft tenant to which an authority is limited. Undefined for a domain, and for
 * authorities with several tenants.
 */
function tenantIdOf(authority: string): string | undefined {
  // Id of Microsoft's tenant for personal accounts.
  if (authority === 'consumers') return '9188040d-6c67-4c5b-b112-36a304b66dad'
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(authority)
    ? authority.toLowerCase()
    : undefined
}

/** Origin of Microsoft Graph in the cloud of an OAuth2 application. */
export function graphOriginOf(config: OAuth2AppConfig): string {
  return new URL(cloudOf(config).graph).origin
}

/**
 * OAuth2 scopes at Microsoft. A token is for one resource: mail servers or Graph, never both
 * (AADSTS28000).
 */
function outlookScopes(config: OAuth2AppConfig): string[] {
  const { graph, outlook: host } = cloudOf(config)
  return config.baseScopes === 'api'
    ? ['Mail.ReadWrite', 'Mail.Send', 'User.Read'].map((scope) => graph + scope)
    : ['IMAP.AccessAsUser.All', 'SMTP.Send'].map((scope) => `https://${host}/${scope}`)
}
