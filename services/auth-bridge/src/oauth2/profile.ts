import type { OAuth2AppConfig, OAuth2Cloud, OAuth2Provider } from '@posthorn/contracts'

/** What there is to know of a provider to get tokens from it. */
export interface Profile {
  authorizeUrl?: string
  tokenUrl?: string
  userinfoUrl?: string
  revokeUrl?: string
  /** Where the endpoints that are missing are told. */
  issuer?: string
  /** Asked for. */
  scopes: readonly string[]
  /** Without these there is no use in a grant. */
  needed: readonly string[]
  /** Sent along to the page of consent. */
  authorizeParams: Readonly<Record<string, string>>
  /** Renewals name the scopes again. */
  scopesOnRefresh: boolean
  /** The token goes to the userinfo endpoint in the query. */
  userinfoByQuery: boolean
}

const common = {
  authorizeParams: {},
  scopesOnRefresh: false,
  userinfoByQuery: false,
}

/** Where a provider is and what it is asked for. What an application says of itself wins over what is usual. */
export function profileOf(provider: OAuth2Provider, config: OAuth2AppConfig): Profile {
  const profile = profiles[provider](config)
  const { issuer, authorizeUrl, tokenUrl, userinfoUrl, revokeUrl } = config
  const said = { issuer, authorizeUrl, tokenUrl, userinfoUrl, revokeUrl }
  const given = Object.entries(said).filter(([, value]) => value !== undefined)
  return { ...profile, ...Object.fromEntries(given), ...adjusted(profile, config) }
}

/** The application's own scopes added, and those it does not want left out. */
function adjusted(
  { scopes, needed }: Profile,
  { extraScopes = [], skipScopes = [] }: OAuth2AppConfig,
) {
  const wanted = (scope: string) => !skipScopes.includes(scope)
  return {
    scopes: [...new Set([...scopes, ...extraScopes])].filter(wanted),
    needed: needed.filter(wanted),
  }
}

const identity = ['openid', 'email', 'profile']
/** OpenID Connect Core 1.0 §11: refresh tokens, which some providers give without saying so. */
const offline = 'offline_access'

const profiles: Record<OAuth2Provider, (config: OAuth2AppConfig) => Profile> = {
  gmail: gmail,
  gmailService: (config) => ({ ...gmail(config), scopes: gmailScopes(config) }),
  outlook: (config) => {
    const scopes = outlookScopes(config)
    return {
      ...outlook(config),
      scopes: [...scopes, offline, ...identity],
      needed: scopes,
      authorizeParams: { response_mode: 'query' },
      scopesOnRefresh: true,
    }
  },
  // Client credentials name a resource, not what is wanted of it.
  outlookService: (config) => ({
    ...outlook(config),
    scopes: [config.baseScopes === 'api' ? `${graph(config)}.default` : `${office365}.default`],
  }),
  mailRu: () => ({
    ...common,
    authorizeUrl: 'https://oauth.mail.ru/login',
    tokenUrl: 'https://oauth.mail.ru/token',
    userinfoUrl: 'https://oauth.mail.ru/userinfo',
    scopes: ['userinfo', 'mail.imap'],
    needed: [],
    authorizeParams: { prompt_force: '1' },
    userinfoByQuery: true,
  }),
  generic: ({ scopes = [...identity, offline] }) => ({
    ...common,
    scopes,
    // What mail is read and sent by, whatever it is called there; what can be done without is in `extraScopes`.
    needed: scopes.filter((scope) => ![...identity, offline].includes(scope)),
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
    scopes: [...scopes, ...identity],
    needed: scopes,
    // Without these two there is no refresh token.
    authorizeParams: { access_type: 'offline', prompt: 'consent' },
  }
}

function gmailScopes({ baseScopes = 'imap' }: OAuth2AppConfig): string[] {
  const scope = { imap: 'mail.google.com/', api: 'gmail.modify', pubsub: 'pubsub' }[baseScopes]
  return baseScopes === 'imap' ? [`https://${scope}`] : [`https://www.googleapis.com/auth/${scope}`]
}

interface Cloud {
  login: string
  graph: string
  outlook: string
}
const clouds: Record<OAuth2Cloud, Cloud> = {
  global: {
    login: 'login.microsoftonline.com',
    graph: 'graph.microsoft.com',
    outlook: 'outlook.office.com',
  },
  'gcc-high': {
    login: 'login.microsoftonline.us',
    graph: 'graph.microsoft.us',
    outlook: 'outlook.office365.us',
  },
  dod: {
    login: 'login.microsoftonline.us',
    graph: 'dod-graph.microsoft.us',
    outlook: 'webmail.apps.mil',
  },
  china: {
    login: 'login.chinacloudapi.cn',
    graph: 'microsoftgraph.chinacloudapi.cn',
    outlook: 'partner.outlook.cn',
  },
}
/** The resource of IMAP and SMTP to applications of their own. */
const office365 = 'https://outlook.office365.com/'

function cloudOf({ cloud = 'global' }: OAuth2AppConfig): Cloud {
  return clouds[cloud]
}

function graph(config: OAuth2AppConfig): string {
  return `https://${cloudOf(config).graph}/`
}

function outlook(config: OAuth2AppConfig): Profile {
  const tenant = encodeURIComponent(config.authority ?? 'common')
  const base = `https://${cloudOf(config).login}/${tenant}/oauth2/v2.0`
  return {
    ...common,
    authorizeUrl: `${base}/authorize`,
    tokenUrl: `${base}/token`,
    scopes: [],
    needed: [],
  }
}

/** One resource a token: those of the mail servers and those of Graph do not mix (AADSTS28000). */
function outlookScopes(config: OAuth2AppConfig): string[] {
  const { outlook: host } = cloudOf(config)
  return config.baseScopes === 'api'
    ? ['Mail.ReadWrite', 'Mail.Send', 'User.Read'].map((scope) => graph(config) + scope)
    : ['IMAP.AccessAsUser.All', 'SMTP.Send'].map((scope) => `https://${host}/${scope}`)
}
