import type { AppPasswordRule } from './app-passwords.ts'

/** App password of a mail provider: its instructions, and whether mail clients need one. */
export interface AppPassword {
  provider: string
  required: boolean
  rule: AppPasswordRule
}

type Endpoint = readonly [host: string, port: number]

/** Mail provider with its servers and its rules for passwords. */
export interface Provider {
  readonly name: string
  /** Domains of the provider's own email addresses. */
  readonly domains: readonly string[]
  /** Suffixes of the provider's mail exchangers (MX hosts), which identify customer domains. */
  readonly exchangers: readonly string[]
  readonly imap: Endpoint
  readonly smtp: Endpoint
  /** Instructions of the provider for creating a password for mail clients. */
  readonly appPassword?: { required: boolean; rule: AppPasswordRule }
}

const needed = (rule: AppPasswordRule) => ({ required: true, rule })
const withTwoSteps = (rule: AppPasswordRule) => ({ required: false, rule })

type HostedProvider = readonly [name: string, exchangers: string[], imap: string, smtp: string]

/**
 * Mail providers that host the domains of customers, without rules for passwords. Both mail servers
 * use TLS.
 */
const hosted: readonly HostedProvider[] = [
  [
    'Tencent Exmail',
    ['mxbiz1.qq.com', 'mxbiz2.qq.com'],
    'imap.exmail.qq.com',
    'smtp.exmail.qq.com',
  ],
  ['IONOS', ['ionos.com'], 'imap.ionos.com', 'smtp.ionos.com'],
  ['IONOS', ['kundenserver.de', 'ionos.de'], 'imap.ionos.de', 'smtp.ionos.de'],
  ['STRATO', ['rzone.de'], 'imap.strato.de', 'smtp.strato.de'],
  ['OVHcloud', ['mail.ovh.net'], 'ssl0.ovh.net', 'ssl0.ovh.net'],
  ['Gandi', ['mail.gandi.net'], 'mail.gandi.net', 'mail.gandi.net'],
  ['Migadu', ['migadu.com'], 'imap.migadu.com', 'smtp.migadu.com'],
  ['Rackspace', ['emailsrvr.com'], 'secure.emailsrvr.com', 'secure.emailsrvr.com'],
  ['Private Email', ['privateemail.com'], 'mail.privateemail.com', 'mail.privateemail.com'],
  ['GoDaddy', ['secureserver.net'], 'imap.secureserver.net', 'smtpout.secureserver.net'],
  ['Titan', ['titan.email'], 'imap.titan.email', 'smtp.titan.email'],
  ['one.com', ['one.com'], 'imap.one.com', 'send.one.com'],
]

/** Built-in mail providers. Ports 465 and 993 use TLS from the start, all other ports STARTTLS. */
const providers: readonly Provider[] = [
  {
    name: 'Gmail',
    domains: ['gmail.com', 'googlemail.com'],
    exchangers: ['google.com', 'googlemail.com'],
    imap: ['imap.gmail.com', 993],
    smtp: ['smtp.gmail.com', 465],
    appPassword: needed('google'),
  },
  {
    name: 'Outlook.com',
    domains: ['outlook.com', 'hotmail.com', 'live.com', 'msn.com'],
    exchangers: ['olc.protection.outlook.com'],
    imap: ['outlook.office365.com', 993],
    smtp: ['smtp-mail.outlook.com', 587],
  },
  {
    name: 'Microsoft 365',
    domains: [],
    exchangers: ['mail.protection.outlook.com', 'mx.microsoft'],
    imap: ['outlook.office365.com', 993],
    smtp: ['smtp.office365.com', 587],
  },
  {
    name: 'Yahoo',
    domains: ['yahoo.com', 'yahoo.co.uk', 'yahoo.de', 'yahoo.fr', 'ymail.com', 'rocketmail.com'],
    exchangers: ['yahoodns.net'],
    imap: ['imap.mail.yahoo.com', 993],
    smtp: ['smtp.mail.yahoo.com', 465],
    appPassword: needed('yahoo'),
  },
  {
    name: 'AOL',
    domains: ['aol.com'],
    exchangers: [],
    imap: ['imap.aol.com', 993],
    smtp: ['smtp.aol.com', 465],
    appPassword: needed('aol'),
  },
  {
    name: 'iCloud',
    domains: ['icloud.com', 'me.com', 'mac.com'],
    exchangers: ['mail.icloud.com'],
    imap: ['imap.mail.me.com', 993],
    smtp: ['smtp.mail.me.com', 587],
    appPassword: needed('icloud'),
  },
  {
    name: 'Fastmail',
    domains: ['fastmail.com', 'fastmail.fm', 'messagingengine.com'],
    exchangers: ['messagingengine.com'],
    imap: ['imap.fastmail.com', 993],
    smtp: ['smtp.fastmail.com', 465],
    appPassword: needed('fastmail'),
  },
  {
    name: 'Zoho',
    domains: ['zoho.com', 'zohomail.com'],
    exchangers: ['zoho.com'],
    imap: ['imap.zoho.com', 993],
    smtp: ['smtp.zoho.com', 465],
    appPassword: withTwoSteps('zoho'),
  },
  {
    name: 'Yandex',
    domains: ['yandex.com', 'yandex.ru', 'ya.ru'],
    exchangers: ['yandex.net', 'yandex.ru'],
    imap: ['imap.yandex.com', 993],
    smtp: ['smtp.yandex.com', 465],
    appPassword: needed('yandex'),
  },
  {
    name: 'Mail.ru',
    domains: ['mail.ru', 'inbox.ru', 'list.ru', 'bk.ru', 'internet.ru'],
    exchangers: ['mail.ru'],
    imap: ['imap.mail.ru', 993],
    smtp: ['smtp.mail.ru', 465],
    appPassword: needed('mailRu'),
  },
  {
    name: 'QQ Mail',
    domains: ['qq.com', 'foxmail.com'],
    exchangers: ['mx1.qq.com', 'mx2.qq.com', 'mx3.qq.com'],
    imap: ['imap.qq.com', 993],
    smtp: ['smtp.qq.com', 465],
    appPassword: needed('qqMail'),
  },
  ...['163.com', '126.com', 'yeah.net'].map((domain): Provider => ({
    name: `NetEase ${domain}`,
    domains: [domain],
    exchangers: [],
    imap: [`imap.${domain}`, 993],
    smtp: [`smtp.${domain}`, 465],
    appPassword: needed('netEase'),
  })),
  {
    name: 'GMX',
    domains: ['gmx.com', 'gmx.us'],
    exchangers: ['gmx.com'],
    imap: ['imap.gmx.com', 993],
    smtp: ['mail.gmx.com', 465],
    appPassword: withTwoSteps('imapOff'),
  },
  {
    name: 'GMX',
    domains: ['gmx.net', 'gmx.de', 'gmx.at', 'gmx.ch'],
    exchangers: ['gmx.net'],
    imap: ['imap.gmx.net', 993],
    smtp: ['mail.gmx.net', 465],
    appPassword: withTwoSteps('imapOff'),
  },
  {
    name: 'WEB.DE',
    domains: ['web.de'],
    exchangers: ['web.de'],
    imap: ['imap.web.de', 993],
    smtp: ['smtp.web.de', 465],
    appPassword: withTwoSteps('imapOff'),
  },
  {
    name: 'mailbox.org',
    domains: ['mailbox.org'],
    exchangers: ['mailbox.org'],
    imap: ['imap.mailbox.org', 993],
    smtp: ['smtp.mailbox.org', 465],
  },
  ...hosted.map(([name, exchangers, imap, smtp]): Provider => ({
    name,
    domains: [],
    exchangers,
    imap: [imap, 993],
    smtp: [smtp, 465],
  })),
]

/** Finds the mail provider whose own email addresses use a domain. */
export function providerOfDomain(domain: string): Provider | undefined {
  return providers.find(({ domains }) => domains.includes(domain))
}

/** Finds the mail provider of a mail exchanger (MX host), by the longest matching suffix. */
export function providerOfExchanger(exchanger: string): Provider | undefined {
  const name = exchanger.toLowerCase().replace(/\.$/, '')
  const matches = (end: string) => name === end || name.endsWith(`.${end}`)
  const candidates = providers.flatMap((provider) =>
    provider.exchangers.filter(matches).map((end) => ({ provider, length: end.length })),
  )
  return candidates.toSorted((a, b) => b.length - a.length)[0]?.provider
}

/** Finds the app password rules of the mail provider that operates a server, for any domain. */
export function appPasswordFor(host: string): AppPassword | undefined {
  return appPasswordOf(providers.find(({ imap, smtp }) => imap[0] === host || smtp[0] === host))
}

/** App password rules of a mail provider, with the provider's name. */
export function appPasswordOf(provider: Provider | undefined): AppPassword | undefined {
  return provider?.appPassword && { provider: provider.name, ...provider.appPassword }
}
