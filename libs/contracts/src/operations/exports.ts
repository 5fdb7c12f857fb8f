import { Type } from 'typebox'
import { defineOperation, operationKinds } from '../define.ts'
import {
  AdminExport,
  ExportEntry,
  exportId,
  ExportRecord,
  ExportRequest,
  exportStatuses,
} from '../schemas/export.ts'
import {
  AccountId,
  Bool,
  described,
  Int,
  OneOf,
  pageCounts,
  pageQuery,
  Strict,
  Text,
  Time,
} from '../schemas/primitives.ts'

const { read, write, destructive } = operationKinds('Export', 'export')
const ofAccount = Strict({ account: AccountId })
const ofExport = Strict({ account: AccountId, exportId })
const notFound = ['AccountNotFound', 'NotFound'] as const

export const createExport = defineOperation({
  ...write,
  id: 'createExport',
  method: 'post',
  path: '/v1/account/:account/export',
  summary: 'Export messages to a file',
  description:
    'Exports the messages of an account to a file. The export runs in the background and ends with the event `exportCompleted` or `exportFailed`. The file contains one message per line in JSON, in the order of the time of receipt, and is compressed with gzip.',
  params: ofAccount,
  body: ExportRequest,
  responseDescription: 'Id of the export, which is queued.',
  response: Type.Object({
    exportId,
    status: Type.Literal('queued', { description: 'Status of the new export: always `queued`.' }),
    created: Time('Time at which the export was created (ISO 8601).'),
  }),
  errors: ['AccountNotFound', 'TooManyExports', 'UnsupportedOperation'],
})

export const listExports = defineOperation({
  ...read,
  id: 'listExports',
  method: 'get',
  path: '/v1/account/:account/exports',
  summary: 'List exports of an account',
  description:
    'Lists the exports of an account, sorted from newest to oldest. Expired exports are not included.',
  params: ofAccount,
  query: Strict(pageQuery),
  responseDescription: 'One page of the exports of the account, newest first.',
  response: Type.Object({
    ...pageCounts,
    exports: Type.Array(ExportEntry, { description: 'Exports of this page, newest first.' }),
  }),
  errors: ['AccountNotFound'],
})

export const getExport = defineOperation({
  ...read,
  id: 'getExport',
  method: 'get',
  path: '/v1/account/:account/export/:exportId',
  summary: 'Read the status of an export',
  description:
    'Reads the status and the progress of an export. The file can be downloaded when `status` is `completed`.',
  params: ofExport,
  responseDescription: 'The export with its status and progress.',
  response: ExportRecord,
  errors: notFound,
})

export const downloadExport = defineOperation({
  ...read,
  id: 'downloadExport',
  method: 'get',
  path: '/v1/account/:account/export/:exportId/download',
  summary: 'Download the file of an export',
  description:
    'Downloads the file of a completed export: one message per line in JSON, compressed with gzip (`.ndjson.gz`). `HEAD` returns the headers without the file. Fails with `NotFound` until the export is completed. An interrupted download continues with `Range: bytes=<received bytes>-` and the `ETag` of the first response as `If-Range`. The response ends early if the file is damaged, if the export is deleted, or if the token is revoked during the download.',
  params: ofExport,
  headers: Type.Object({
    range: Type.Optional(
      Text(
        'Range of bytes of the export file to download, such as `bytes=1048576-` (RFC 9110 §14.2). A header with several ranges returns the whole file.',
      ),
    ),
    'if-range': Type.Optional(
      Text(
        '`ETag` of an earlier response. If the `ETag` of the export file differs, the whole file is returned instead of the range.',
      ),
    ),
  }),
  responseDescription:
    'Compressed file of the export. The example shows the content after decompression.',
  response: Type.String(),
  produces: 'application/gzip',
  hasRanges: true,
  errors: notFound,
})

export const deleteExport = defineOperation({
  ...destructive,
  id: 'deleteExport',
  method: 'delete',
  path: '/v1/account/:account/export/:exportId',
  summary: 'Cancel or delete an export',
  description:
    'Cancels or deletes an export. A queued or running export becomes `cancelled`, without an event. A completed, failed or cancelled export is deleted. The file is deleted within one minute.',
  params: ofExport,
  responseDescription: 'Confirmation that the export was cancelled or deleted.',
  response: Type.Object({
    deleted: Bool('Always true: a failed request gets an error response.'),
  }),
  errors: notFound,
})

export const listAllExports = defineOperation({
  ...operationKinds('Export', 'admin', '*').read,
  id: 'listAllExports',
  method: 'get',
  path: '/admin/api/exports',
  summary: 'List exports of all accounts',
  description:
    'Lists the exports of all accounts, sorted from newest to oldest, for operators. The query selects exports by account and status.',
  query: Strict({
    ...pageQuery,
    account: Type.Optional(
      described(
        'Id of the account whose exports are listed. If absent, exports of all accounts are listed.',
        AccountId,
      ),
    ),
    status: Type.Optional(
      OneOf(exportStatuses, {
        description:
          'Status of the listed exports. If absent, exports with every status are listed.',
      }),
    ),
  }),
  responseDescription:
    'One page of the exports of all accounts, newest first, and the space that their files use.',
  response: Type.Object({
    ...pageCounts,
    storedBytes: Int('Size of the stored files of all exports together, in bytes.'),
    maxStoredBytes: Int(
      'Maximum size of the stored files of all exports together (`SVC_EXPORT_STORAGE`), in bytes.',
    ),
    exports: Type.Array(AdminExport, { description: 'Exports of this page, newest first.' }),
  }),
})
