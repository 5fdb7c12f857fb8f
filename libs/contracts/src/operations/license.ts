import { Type } from 'typebox'
import { defineOperation, operationKinds } from '../define.ts'
import { LicenseInfo, LicenseKey } from '../schemas/license.ts'
import { Bool, Text } from '../schemas/primitives.ts'

const { read, write, destructive } = operationKinds('License', 'admin')
const path = '/v1/license'

export const getLicense = defineOperation({
  ...read,
  path,
  id: 'getLicense',
  method: 'get',
  summary: 'Read the license',
  description:
    'Reads the license of the installation. The operation exists for compatibility: the license is always active, without a license key.',
  responseDescription: 'The license, which is always active.',
  response: LicenseInfo,
})

export const setLicense = defineOperation({
  ...write,
  path,
  id: 'setLicense',
  method: 'post',
  summary: 'Install a license key',
  description:
    'Installs a license key. The operation exists for compatibility and always responds with 403, because no license key is needed.',
  body: LicenseKey,
  responseDescription:
    'Response of other products. Posthorn always responds with 403 instead, because no license key is needed.',
  response: LicenseInfo,
})

export const deleteLicense = defineOperation({
  ...destructive,
  path,
  id: 'deleteLicense',
  method: 'delete',
  summary: 'Remove the license key',
  description:
    'Removes the license key. The operation exists for compatibility and always responds with 403, because there is no license key.',
  responseDescription:
    'Response of other products. Posthorn always responds with 403 instead, because there is no license key.',
  response: Type.Object({
    active: Bool('Always true: the license is always active.'),
    details: Bool('Always false: there is no license key with details.'),
    type: Text('Constant text: no license key is required.'),
  }),
})
