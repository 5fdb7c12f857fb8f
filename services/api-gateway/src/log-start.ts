import { describeConfig } from '@posthorn/config'
import type { Logger } from '@posthorn/telemetry'
import type { Config } from './config.ts'

/** Logs the start of api-gateway with its configuration, and warns of unknown settings. */
export function logStart(log: Logger, config: Config): void {
  log.info({ config: loggable(config) }, 'starting')
  if (config.unknownSettings.length > 0)
    log.warn({ settings: config.unknownSettings }, 'SVC_SETTINGS contains unknown settings')
}

/**
 * Configuration of api-gateway in the form that is logged. Only the names of settings are included,
 * because values may be secret.
 */
function loggable(config: Config) {
  const settings = Object.keys(config.settings ?? {})
  return describeConfig({ ...config, settings, sealingKey: config.sealingKey.id })
}
