import { readFile } from 'node:fs/promises'
import { Secret } from '@posthorn/config'
import { openStore, readExportFile } from '@posthorn/emailengine'
import { readSecretFile } from '../../connection/secret-input.ts'
import { CommandError, UsageError } from '../../exit-codes.ts'
import type { CommandContext, OptionValues, RunCommand } from '../../program/command.ts'
import { fileImports } from './file-imports.ts'
import { type ImportKind, importKinds } from './group.ts'
import { importKind, type ImportRun, type KindImport } from './import-kind.ts'
import {
  accountImport,
  applicationImport,
  blocklistImport,
  gatewayImport,
  type ImportParts,
  routeImport,
  templateImport,
  tokenImport,
} from './kind-imports.ts'
import { linkImport } from './link-import.ts'
import { ImportReport } from './report.ts'
import { settingImport } from './setting-import.ts'

interface Options extends OptionValues {
  redis?: string
  redisFile?: string
  caFile?: string
  prefix?: string
  secretFile?: string
  only?: ImportKind[]
  dryRun?: boolean
  paused?: boolean
  start?: boolean
  notifyFrom?: string
}

/**
 * Time for which calls of the EmailEngine import are repeated, so that an upgrade of the server
 * does not end the import.
 */
const retryForMs = 60_000

/**
 * Command `import emailengine`: imports an EmailEngine instance, from Redis or from files. A
 * repeated import continues.
 */
export const importEmailEngine: RunCommand = async (context, files, values) => {
  const options = values as Options
  const mode = modeOf(options)
  const { output, progress, signal, terminal } = context
  const report = new ImportReport(output)
  const run = { report, progress, signal }
  const posthorn = await context.posthorn({ retryForMs })
  const secret = await secretOf(context, options)
  if (files.length > 0) {
    if (options.redis ?? options.redisFile) throw new UsageError('name files or a Redis, not both')
    const entries = async function* () {
      for (const file of files) yield* readExportFile(file, { secret })
    }
    for (const part of await fileImports(entries, { posthorn, signal, ...mode }))
      if (isSelected(part.kind, options)) await importKind(part, run)
  } else {
    const url = await redisUrlOf(context, options)
    const ca = options.caFile && (await readFile(options.caFile, 'utf8'))
    const prefix = options.prefix ?? terminal.env['EENGINE_REDIS_PREFIX']
    await using store = await openStore({ url, ca: ca || undefined, prefix, secret })
    await importStore(
      { posthorn, signal, store, counts: await store.counts(), ...mode },
      options,
      run,
    )
  }
  progress.clear()
  await report.end()
  if (report.isIncomplete)
    throw new CommandError('accounts were skipped: correct them and run the command again')
}

/** Imports all kinds of EmailEngine entities, each kind after the kinds to which it refers. */
async function importStore(parts: ImportParts, options: Options, run: ImportRun): Promise<void> {
  const imports: Record<ImportKind, () => Promise<KindImport<never>> | KindImport<never>> = {
    applications: () => applicationImport(parts) as never,
    gateways: () => gatewayImport(parts) as never,
    routes: () => routeImport(parts) as never,
    accounts: () => accountImport(parts) as never,
    templates: () => templateImport(parts) as never,
    blocklists: () => blocklistImport(parts) as never,
    tokens: () => tokenImport(parts) as never,
    settings: () => settingImport(parts) as never,
    links: () => linkImport(parts) as never,
  }
  for (const kind of importKinds)
    if (isSelected(kind, options)) await importKind(await imports[kind](), run)
}

function isSelected(kind: ImportKind, { only }: Options): boolean {
  return only === undefined || only.includes(kind)
}

function modeOf({ dryRun = false, paused = false, start = false, notifyFrom }: Options) {
  if ([dryRun, paused, start].filter(Boolean).length !== 1)
    throw new UsageError('choose one of --dry-run, --paused and --start')
  if (notifyFrom !== undefined && !start) throw new UsageError('--notify-from needs --start')
  return { dryRun, start, notifyFrom: notifyFrom ?? new Date().toISOString() }
}

async function secretOf(context: CommandContext, { secretFile }: Options) {
  const text =
    secretFile === undefined
      ? context.terminal.env['EENGINE_SECRET']
      : await readSecretFile(secretFile, context)
  return text ? new Secret(text) : undefined
}

async function redisUrlOf(context: CommandContext, { redis, redisFile }: Options) {
  if (redis !== undefined && URL.parse(redis)?.password)
    throw new UsageError(
      'arguments are visible to other users: pass a URL with a password by --redis-file or EENGINE_REDIS',
    )
  const url =
    redisFile === undefined
      ? (redis ?? context.terminal.env['EENGINE_REDIS'])
      : await readSecretFile(redisFile, context)
  if (!url) throw new UsageError('no source: name files, or the Redis of EmailEngine by --redis')
  return url
}
