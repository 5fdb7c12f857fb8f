import { byteSize, duration, type Env } from '@posthorn/config'

/** Limits of exports of messages that api-gateway and sync-worker share. */
export interface ExportConfig {
  /** Time from the last progress of an export of messages to its removal. */
  readonly maxAgeMs: number
  /** Maximum bytes of the stored files of all exports together. */
  readonly maxStoredBytes: number
}

/** Reads the limits of exports: `SVC_EXPORT_MAX_AGE` and `SVC_EXPORT_STORAGE`. */
export function readExportConfig(env: Env): ExportConfig {
  return {
    maxAgeMs: duration(env, 'SVC_EXPORT_MAX_AGE', {
      fallback: 86_400_000,
      min: 1_000,
      max: 30 * 86_400_000,
    }),
    maxStoredBytes: byteSize(env, 'SVC_EXPORT_STORAGE', { fallback: 20 * 1024 ** 3, min: 0 }),
  }
}
