import type { OAuth2AppConfig, OAuth2Cloud, OAuth2Provider } from '@posthorn/contracts'

interface Server {
  host: string
  port: number
  secure?: boolean
}

export interface ProviderServers {
  imap?: Server
  smtp?: Server
}

const gmail = {
  imap: { host: 'imap.gmail.com', port: 993, secure: true },
  smtp: { host: 'smtp.gmail.com', port: 465, secure: true },
}

const outlook: Record<OAuth2Cloud, [imap: string, smtp: string]> = {
  global: ['outlook.office365.com', 'smtp.office365.com'],
  'gcc-high': ['outlook.office365.us', 'smtp.office365.us'],
  dod: ['webmail.apps.mil', 'smtp.office365.us'],
  china: ['partner.outlook.cn', 'smtp.partner.outlook.cn'],
}

/** Where the mailboxes of a provider are. */
export function serversOf(provider: OAuth2Provider, config: OAuth2AppConfig): ProviderServers {
  switch (provider) {
    case 'gmail':
    case 'gmailService':
      return gmail
    case 'outlook':
    case 'outlookService': {
      const [imap, smtp] = outlook[config.cloud ?? 'global']
      return {
        imap: { host: imap, port: 993, secure: true },
        smtp: { host: smtp, port: 587, secure: false },
      }
    }
    case 'mailRu':
      return {
        imap: { host: 'imap.mail.ru', port: 993, secure: true },
        smtp: { host: 'smtp.mail.ru', port: 465, secure: true },
      }
    case 'generic': {
      const { imap, smtp } = config
      return { ...(imap ? { imap } : {}), ...(smtp ? { smtp } : {}) }
    }
  }
}
