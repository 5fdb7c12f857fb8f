import { posix } from 'node:path'
import type { SourceFile } from './workspace.ts'

/**
 * Source folders of one layer (level of the permitted imports). The folders must not import from
 * each other.
 */
type Layer = readonly string[]

/**
 * Layers of folders, by parent folder, with the highest layer first. A file may import from its own
 * folder and from lower layers. A file directly in the parent folder counts as part of the highest
 * layer from which it imports.
 */
export const layersOf: Readonly<Record<string, readonly Layer[]>> = {
  'services/admin-ui/src': [
    ['endpoints'],
    ['live'],
    ['forwarding'],
    ['factors', 'oidc'],
    ['identity'],
    ['audit'],
    ['pages'],
    ['http'],
    ['store'],
  ],
  'services/admin-ui/web/src': [
    ['app'],
    ['pages'],
    ['charts', 'editor'],
    ['kit'],
    ['routing'],
    ['data'],
  ],
  'services/admin-ui/web/src/data': [['events', 'lists', 'mail', 'webhooks'], ['live']],
  'services/admin-ui/web/src/kit': [
    ['forms', 'overlays', 'table'],
    ['states'],
    ['content'],
    ['controls'],
  ],
  'services/admin-ui/web/src/pages': [
    ['account'],
    [
      'access',
      'accounts',
      'blocklists',
      'dashboard',
      'entry',
      'events',
      'exports',
      'gateways',
      'mail',
      'mail-proxies',
      'oauth2',
      'profile',
      'routes',
      'settings',
      'system',
      'templates',
      'webhooks',
    ],
  ],
  'services/admin-ui/web/src/pages/account': [['mailboxes'], ['mail', 'settings']],
  'services/admin-ui/src/endpoints': [['people']],
  'services/admin-ui/web/src/data': [['live']],
  'services/api-gateway/src': [
    ['operations', 'public'],
    ['jobs'],
    ['events'],
    ['accounts', 'changes', 'composing', 'exports', 'findings'],
    ['automated', 'docs-site'],
    ['http'],
    ['access', 'autoconfig'],
    ['store'],
  ],
  'services/api-gateway/src/operations': [
    [
      'accounts',
      'gateways',
      'installation',
      'oauth2-apps',
      'settings',
      'submissions',
      'webhook-routes',
    ],
  ],
  'services/api-gateway/src/public': [['sign-in', 'notifications'], ['form'], ['texts']],
  'services/auth-bridge/src': [
    ['commands'],
    ['transfers'],
    ['oauth2', 'reseal'],
    ['providers', 'keys'],
    ['store'],
  ],
  'services/imap-proxy/src': [['client', 'upstream'], ['store']],
  'services/sender/src': [['commands'], ['dispatch'], ['attempt'], ['transports'], ['store']],
  'services/sender/src/transports': [['smtp', 'mail-api']],
  'services/smtp-proxy/src': [['store']],
  'services/sync-worker/src': [
    ['commands', 'exports'],
    ['sessions'],
    ['drivers'],
    ['watches'],
    ['events', 'pubsub'],
    ['shards', 'summaries', 'logs'],
    ['store'],
  ],
  'services/sync-worker/src/exports': [['failures']],
  'services/sync-worker/src/drivers': [['api', 'imap'], ['messages']],
  'services/sync-worker/src/drivers/api': [
    ['exports'],
    ['commands', 'feeds'],
    ['messages'],
    ['events'],
    ['index'],
  ],
  'services/sync-worker/src/drivers/api/feeds': [['stored']],
  'services/sync-worker/src/drivers/imap': [
    ['exports'],
    ['commands'],
    ['connections'],
    ['sync'],
    ['events'],
    ['messages'],
    ['index'],
  ],
  'services/sync-worker/src/drivers/imap/sync': [['passes'], ['changes'], ['mailbox-list']],
  'services/sync-worker/src/store': [['api']],
  'services/webhook-dispatcher/src': [
    ['events'],
    ['dispatch'],
    ['attempt'],
    ['targets'],
    ['routes'],
    ['store'],
  ],
  'libs/access/src': [['store']],
  'libs/advice/src': [['tables']],
  'libs/backends/src': [
    ['gmail', 'graph', 'imap'],
    ['provider-client'],
    ['mail-api'],
    ['provider-limits', 'provider-types'],
  ],
  'libs/backends/src/gmail': [['lists'], ['messages']],
  'libs/backends/src/imap': [['messages'], ['mailboxes'], ['connection'], ['responses']],
  'libs/bus/src': [['rpc'], ['pubsub'], ['connection']],
  'libs/cli/src': [['commands'], ['program'], ['connection'], ['io']],
  'libs/cli/src/commands': [
    [
      'accounts',
      'bounce',
      'completion',
      'events',
      'exports',
      'import',
      'keys',
      'login',
      'messages',
      'oauth2',
      'outbox',
      'routes',
      'send',
      'settings',
      'status',
      'tokens',
      'webhooks',
    ],
  ],
  'libs/client/src': [
    ['compatibility', 'generator', 'package'],
    ['webhooks'],
    ['generated'],
    ['calls'],
  ],
  'libs/client/src/calls': [['generated']],
  'libs/client/src/compatibility': [['generated']],
  'libs/contracts/src': [
    ['baseline'],
    ['openapi'],
    ['admin'],
    ['operations'],
    ['commands', 'events'],
    ['settings'],
    ['schemas'],
    ['account-types'],
  ],
  'libs/contracts/src/openapi': [['examples']],
  'libs/db/src': [
    ['exports'],
    ['events', 'migration-rules'],
    ['migrate'],
    ['migrations', 'tables'],
  ],
  'libs/docs/src': [['site'], ['reference', 'examples']],
  'libs/docs/src/reference': [['calls']],
  'libs/emailengine/src': [['entities', 'store']],
  'libs/flow/src': [['workers']],
  'libs/net/src': [['provider'], ['clients']],
  'libs/testkit/src': [
    ['providers'],
    ['mail-api-model', 'openid'],
    ['databases', 'mail-servers', 'imap-script', 'smtp-script', 'hostile-mail', 'containers'],
    ['http'],
  ],
  'libs/testkit/src/imap-script': [['commands']],
  'libs/testkit/src/providers': [['gmail', 'graph', 'descriptions']],
  'libs/testkit/src/providers/gmail': [['handlers'], ['pubsub']],
  'libs/tooling/src': [['release']],
}

/**
 * Lists the parent folders of source folders for which no layers (allowed directions of imports)
 * are defined.
 */
export function foldersWithoutLayers(sources: readonly Pick<SourceFile, 'path'>[]): string[] {
  const parents = sources.map(({ path }) => posix.dirname(posix.dirname(path)))
  return [...new Set(parents)]
    .filter((folder) => /(?:^|\/)src(?:\/|$)/.test(folder) && layersOf[folder] === undefined)
    .toSorted()
}

/**
 * Lists forbidden imports of source files as `path → import`: imports from a higher layer, or from
 * another folder of the same layer.
 */
export function layerViolations(sources: readonly SourceFile[]): string[] {
  return Object.entries(layersOf).flatMap(([folder, layers]) => {
    const files = sources.filter(({ path }) => path.startsWith(`${folder}/`))
    const ranks = new Ranks(folder, layers, files)
    return files.flatMap((file) =>
      localImports(file)
        .filter((target) => !ranks.permits(file.path, target))
        .map((target) => `${file.path} → ${target}`),
    )
  })
}

/**
 * Ranks of the layers to which the folders and files in a parent folder belong. The highest layer
 * has rank 0.
 */
class Ranks {
  readonly #folder: string
  readonly #layers: readonly Layer[]
  readonly #imports: ReadonlyMap<string, readonly string[]>
  readonly #fileRanks = new Map<string, number>()

  constructor(folder: string, layers: readonly Layer[], files: readonly SourceFile[]) {
    this.#folder = folder
    this.#layers = layers
    this.#imports = new Map(files.map((file) => [file.path, localImports(file)]))
  }

  permits(from: string, target: string): boolean {
    const own = this.#childOf(from)
    const other = this.#childOf(target)
    if (own === undefined || other === undefined || own === other) return true
    // Source files directly in the parent folder may import from all layers.
    if (isSource(own)) return true
    const rank = this.#rankOf(own)
    return isSource(other) ? this.#rankOf(other) >= rank : this.#rankOf(other) > rank
  }

  /** Name of the source folder or file, directly in the parent folder, to which a path belongs. */
  #childOf(path: string): string | undefined {
    return path.startsWith(`${this.#folder}/`)
      ? path.slice(this.#folder.length + 1).split('/')[0]
      : undefined
  }

  /**
   * Rank of the layer to which a source folder belongs. For a file, rank of the highest layer from
   * which the file imports.
   */
  #rankOf(child: string): number {
    if (!isSource(child)) return this.#layers.findIndex((layer) => layer.includes(child))
    const earlier = this.#fileRanks.get(child)
    if (earlier !== undefined) return earlier
    // ends the recursion in a cycle of source files that import each other
    this.#fileRanks.set(child, Infinity)
    const imports = this.#imports.get(`${this.#folder}/${child}`) ?? []
    const ranks = imports
      .map((path) => this.#childOf(path))
      .filter((name) => name !== undefined)
      .map((name) => this.#rankOf(name))
    const rank = Math.min(Infinity, ...ranks)
    this.#fileRanks.set(child, rank)
    return rank
  }
}

/** True for the name of a source file, false for the name of a folder. */
function isSource(name: string): boolean {
  return /\.tsx?$/.test(name)
}

/** Lists the paths of a source file's relative imports. */
function localImports({ path, imports }: SourceFile): string[] {
  return imports
    .filter((name) => name.startsWith('.'))
    .map((name) => posix.join(posix.dirname(path), name))
}
