import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './commands.ts'

export interface WorkspacePackage {
  /** Path of a workspace package's folder, relative to the root of the project: `libs/bus`. */
  folder: string
  dependencies: string[]
  devDependencies: string[]
}

export function readPackages(): WorkspacePackage[] {
  return globSync(
    [
      'libs/*/package.json',
      'services/*/package.json',
      'deploy/*/package.json',
      'test-e2e/package.json',
    ],
    { cwd: root },
  ).map((file) => {
    const json = JSON.parse(readFileSync(join(root, file), 'utf8')) as Record<
      string,
      Record<string, string> | undefined
    >
    return {
      folder: dirname(file),
      dependencies: [
        ...Object.keys(json['dependencies'] ?? {}),
        ...Object.keys(json['optionalDependencies'] ?? {}),
      ],
      devDependencies: Object.keys(json['devDependencies'] ?? {}),
    }
  })
}

export interface SourceFile {
  path: string
  text: string
  imports: string[]
}

/** Reads all TypeScript files whose paths match the patterns, and their imports. */
export function readSources(patterns: readonly string[]): SourceFile[] {
  return globSync(patterns as string[], {
    cwd: root,
    exclude: (name) => name.includes('node_modules'),
  })
    .filter((path) => !path.includes('node_modules'))
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
        (match) => match[1] ?? '',
      )
      return { path, text, imports }
    })
}

const levels: Record<string, number> = {
  errors: 0,
  config: 0,
  flow: 0,
  tooling: 0,
  client: 0,
  contracts: 1,
  advice: 1,
  'message-id': 1,
  secrets: 1,
  links: 1,
  db: 1,
  telemetry: 1,
  mime: 1,
  templates: 1,
  sandbox: 1,
  net: 1,
  bus: 2,
  http: 2,
  access: 2,
  service: 3,
  unseal: 3,
  'message-reader': 3,
  'mail-frontend': 4,
  backends: 2,
  reports: 2,
  cli: 4,
  emailengine: 2,
  docs: 4,
}

/**
 * Returns the level of a workspace package. A package may import packages of lower levels,
 * `contracts` and `config`.
 */
export function levelOf(folder: string): number {
  const [top, name = ''] = folder.split('/')
  if (top === 'libs') return name === 'testkit' ? 6 : (levels[name] ?? -1)
  if (top === 'services') return 5
  return 7
}

/**
 * Folders that may import an external package, by name of the package. `store` stands for the
 * folder `store` of each service.
 */
export const allowedImporters: Record<string, readonly string[]> = {
  '@codemirror/autocomplete': ['services/admin-ui/web/src/editor/'],
  '@codemirror/commands': ['services/admin-ui/web/src/editor/'],
  '@codemirror/lang-html': ['services/admin-ui/web/src/editor/'],
  '@codemirror/lang-javascript': ['services/admin-ui/web/src/editor/'],
  '@codemirror/lang-json': ['services/admin-ui/web/src/editor/'],
  '@codemirror/language': ['services/admin-ui/web/src/editor/'],
  '@codemirror/state': ['services/admin-ui/web/src/editor/'],
  '@codemirror/view': ['services/admin-ui/web/src/editor/'],
  '@lezer/highlight': ['services/admin-ui/web/src/editor/'],
  '@tanstack/react-query': ['services/admin-ui/web/src/data/'],
  '@tanstack/react-router': ['services/admin-ui/web/src/routing/'],
  amqplib: ['libs/bus/'],
  commander: ['libs/cli/src/program/'],
  pg: ['libs/db/'],
  kysely: ['libs/db/', 'store'],
  ajv: ['libs/contracts/'],
  'ajv-formats': ['libs/contracts/'],
  express: ['libs/http/', 'services/admin-ui/src/', 'services/api-gateway/src/'],
  imapflow: ['libs/backends/src/imap/'],
  mailparser: ['libs/mime/'],
  'lru-cache': ['libs/flow/'],
  nodemailer: ['libs/mime/src/nodemailer.ts', 'services/sender/src/transports/smtp/nodemailer.ts'],
  got: ['libs/net/'],
  socks: ['libs/net/'],
  htmlparser2: ['libs/docs/src/site/', 'libs/links/'],
  '@msgpack/msgpack': ['libs/emailengine/src/decode.ts'],
  '@redis/client': ['libs/emailengine/src/store/connect.ts'],
  handlebars: ['libs/templates/'],
  'markdown-it': ['libs/docs/', 'libs/templates/'],
  'quickjs-wasi': ['libs/sandbox/'],
  'crawler-user-agents': ['services/api-gateway/src/automated/'],
  'fast-xml-parser': ['services/api-gateway/src/autoconfig/'],
  jose: ['libs/secrets/'],
  'openid-client': ['services/admin-ui/src/oidc/client.ts'],
  '@simplewebauthn/server': ['services/admin-ui/src/factors/webauthn.ts'],
  oauth4webapi: ['services/auth-bridge/src/oauth2/'],
  pino: ['libs/telemetry/'],
  'prom-client': ['libs/telemetry/'],
  'smtp-server': ['services/smtp-proxy/src/'],
  'react-aria-components': ['services/admin-ui/web/src/kit/'],
  testcontainers: ['libs/testkit/src/containers/'],
  uplot: ['services/admin-ui/web/src/charts/'],
  uqr: ['services/admin-ui/web/src/kit/'],
}

/** Folders with tools and tests, whose files may import any package. */
export const unrestrictedFolders = ['libs/testkit/', 'deploy/local/', 'test-e2e/']
