import type { Bus, RpcOptions } from '@posthorn/bus'
import { getLinkSecret } from '@posthorn/contracts/commands/credentials'
import type { SettingsCache } from '@posthorn/db'
import { cacheLinkKeys, type LinkKeys } from '@posthorn/links'
import { createMessageReader } from '@posthorn/message-reader'
import { Sandbox } from '@posthorn/sandbox'
import { createSealer } from '@posthorn/secrets'
import type { Logger, Metrics } from '@posthorn/telemetry'
import { Renderer } from '@posthorn/templates'
import { createAutoconfig } from './autoconfig/autoconfig.ts'
import type { Config } from './config.ts'

/**
 * CPU time limit of rendering one message template. A usual template takes well below a
 * millisecond.
 */
const templateTimeoutMs = 1_000

/**
 * Maximum JavaScript heap, in MB, of the separate process that parses the largest requests and
 * messages.
 */
const maxHeapMb = 512

export interface ToolOptions {
  config: Config
  settings: SettingsCache
  bus: Bus
  log: Logger
  metrics: Metrics
}

/**
 * Creates the parts of api-gateway that store no data, such as sealer, template renderer and
 * autoconfig. Disposal of `stack` releases the parts.
 */
export function createTools(stack: AsyncDisposableStack, options: ToolOptions) {
  const { config, settings, bus, log, metrics } = options
  const rendering = { timeoutMs: templateTimeoutMs, maxOutputBytes: config.maxBodyBytes }
  return {
    sealer: createSealer(config.sealingKey),
    sealingKey: config.sealingKey,
    autoconfig: createAutoconfig(stack, { config, settings, bus }),
    links: linkKeys(bus),
    renderer: stack.use(new Renderer(rendering)),
    sandbox: stack.use(new Sandbox()),
    reader: stack.use(createMessageReader({ metrics, log }, { ...config.reader, maxHeapMb })),
  }
}

const linkKeysTimeoutMs = 5_000

/**
 * Keys that sign links, requested from auth-bridge once, and again for an unknown key id. Without
 * auth-bridge the requests reject immediately with a retryable AppError, because api-gateway cannot
 * unseal the keys.
 */
function linkKeys(bus: Bus): LinkKeys {
  const options = {
    key: 'credentials',
    timeoutMs: linkKeysTimeoutMs,
    failFast: true,
  } satisfies RpcOptions
  return cacheLinkKeys(() => bus.request(getLinkSecret, {}, options))
}
