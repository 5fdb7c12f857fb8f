import { Int, Nullable } from '../schemas/primitives.ts'

const int = (description: string, minimum: number, maximum: number) =>
  Nullable(Int(description, { minimum, maximum }))

/** Schemas of the settings of exports, by setting name. */
export const exportSettings = {
  exportMaxConcurrent: int('Maximum unfinished exports per account. Defaults to 2.', 1, 100),
  exportMaxGlobalConcurrent: int('Maximum unfinished exports in all. Defaults to 8.', 1, 100),
  exportMaxMessages: int(
    'Messages after which an export ends as truncated. Defaults to 500,000.',
    1,
    10_000_000,
  ),
  exportMaxSize: int(
    'Bytes of the compressed file after which an export ends as truncated. Defaults to 10 GiB.',
    1,
    Number.MAX_SAFE_INTEGER,
  ),
  gmailExportBatchSize: int('Messages per request of exports to Gmail. Defaults to 10.', 1, 50),
  outlookExportBatchSize: int(
    'Messages per request of exports to Microsoft Graph. Defaults to 20.',
    1,
    20,
  ),
} as const

/** Default values of the settings of exports. */
export const exportSettingDefaults = {
  exportMaxConcurrent: 2,
  exportMaxGlobalConcurrent: 8,
  exportMaxMessages: 500_000,
  exportMaxSize: 10 * 1024 ** 3,
  gmailExportBatchSize: 10,
  outlookExportBatchSize: 20,
} as const
