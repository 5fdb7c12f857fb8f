import { Type } from 'typebox'
import { defineOperation } from '../define.ts'
import { LicenseInfo, LicenseKey } from '../schemas/license.ts'

const common = { path: '/v1/license', tag: 'License', scope: 'api' } as const

export const getLicense = defineOperation({
  ...common,
  id: 'getLicense',
  method: 'get',
  summary: 'Read the license',
  description: 'Provided for compatibility: the license is always active, without a key.',
  permission: { action: 'read', group: 'admin' },
  response: LicenseInfo,
})

export const setLicense = defineOperation({
  ...common,
  id: 'setLicense',
  method: 'post',
  summary: 'Install a license key',
  description: 'Always responds with 403, because no license key is required.',
  permission: { action: 'write', group: 'admin' },
  body: LicenseKey,
  response: LicenseInfo,
})

export const deleteLicense = defineOperation({
  ...common,
  id: 'deleteLicense',
  method: 'delete',
  summary: 'Remove the license key',
  description: 'Always responds with 403, because there is no license key.',
  permission: { action: 'destructive', group: 'admin' },
  response: Type.Object({ active: Type.Boolean(), details: Type.Boolean(), type: Type.String() }),
})
