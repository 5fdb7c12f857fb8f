import { Int, Nullable } from '../schemas/primitives.ts'

const int = (description: string, minimum: number, maximum: number) =>
  Nullable(Int(description, { minimum, maximum }))

/** Schemas of the settings of exports, by setting name. */
export const exportSettings = {
  exportMaxConcurrent: int(
    'Maximum number of unfinished exports per account. Further requests fail with `TooManyExports`. Defaults to 2.',
    1,
    100,
  ),
  exportMaxGlobalConcurrent: int(
    'Maximum number of unfinished exports of all accounts. Further requests fail with `TooManyExports`. Defaults to 8.',
    1,
    100,
  ),
  exportMaxMessages: int(
    'Maximum number of messages in an export. An export with more messages ends as `truncated`. Defaults to 500,000.',
    1,
    10_000_000,
  ),
  exportMaxSize: int(
    'Maximum size of the compressed export file in bytes. A larger export ends as `truncated`. Defaults to 10,737,418,240 (10 GiB).',
    1,
    Number.MAX_SAFE_INTEGER,
  ),
  gmailExportBatchSize: int(
    'Number of messages that an export reads from the Gmail API per request. Defaults to 10.',
    1,
    50,
  ),
  outlookExportBatchSize: int(
    'Number of messages that an export reads from Microsoft Graph per request. Defaults to 20.',
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
