import type { AppValues } from './app-body.ts'

/** Maximum size in bytes of a file from the Google Cloud console. Real files have about 2.5 kB. */
export const maxGoogleFileBytes = 65_536

/** Content of a file from the Google Cloud console, as values of the form. */
export interface GoogleFile {
  values: AppValues
  /** Problem of the client at Google with which sign-ins will fail. */
  warning?: string
}

type Members = Readonly<Record<string, unknown>>

/**
 * Reads a JSON file from the Google Cloud console: the client of an application, the key of a
 * service account, or the configuration of an external account.
 *
 * @throws Error if the file is none of these files
 */
export function readGoogleFile(text: string, redirectUrl: string): GoogleFile {
  const file = parse(text)
  if (isMembers(file['web'])) return readClient(file['web'], redirectUrl)
  if (isMembers(file['installed']))
    throw new Error('The client is for desktop applications. Create a client for web applications.')
  if (file['type'] === 'service_account') return { values: readServiceAccount(file) }
  if (file['type'] === 'external_account') return { values: readExternalAccount(file, text) }
  throw new Error('The file is not a client, service account key or external account of Google.')
}

function parse(text: string): Members {
  try {
    const value: unknown = JSON.parse(text)
    if (isMembers(value)) return value
  } catch {
    // The error below describes all files that are not a JSON object.
  }
  throw new Error('The file is not a JSON file of the Google Cloud console.')
}

function readClient(client: Members, redirectUrl: string): GoogleFile {
  const uris = client['redirect_uris']
  const isRegistered = Array.isArray(uris) && uris.includes(redirectUrl)
  return {
    values: {
      provider: 'gmail',
      clientId: member(client, 'client_id'),
      clientSecret: member(client, 'client_secret'),
      googleProjectId: optional(client, 'project_id'),
    },
    ...(redirectUrl !== '' &&
      !isRegistered && {
        warning: `Add the redirect URI ${redirectUrl} to the client at Google: the file does not list it.`,
      }),
  }
}

function readServiceAccount(file: Members): AppValues {
  return {
    provider: 'gmailService',
    serviceClient: member(file, 'client_id'),
    serviceClientEmail: member(file, 'client_email'),
    serviceKey: member(file, 'private_key'),
    externalAccount: '',
    googleProjectId: optional(file, 'project_id'),
  }
}

/** Service account in the address at which Google issues access tokens for it. */
const impersonated = /\/serviceAccounts\/([^/:]+):generateAccessToken$/

function readExternalAccount(file: Members, text: string): AppValues {
  const email = impersonated.exec(optional(file, 'service_account_impersonation_url'))?.[1]
  return {
    provider: 'gmailService',
    externalAccount: text.trim(),
    serviceKey: '',
    ...(email !== undefined && { serviceClientEmail: email }),
  }
}

function member(members: Members, name: string): string {
  const value = optional(members, name)
  if (value === '') throw new Error(`The file has no ${name}. Download the file again at Google.`)
  return value
}

function optional(members: Members, name: string): string {
  const value = members[name]
  return typeof value === 'string' ? value : ''
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
