import { accountResponses } from './account-responses.ts'
import { adminResponses } from './admin-responses.ts'
import { exportResponses } from './export-responses.ts'
import { jobResponses } from './job-responses.ts'
import { messageResponses } from './message-responses.ts'
import { sendingResponses } from './sending-responses.ts'
import { webhookResponses } from './webhook-responses.ts'

/**
 * Examples of successful responses (status 200) for the OpenAPI document, by operation id. A test
 * validates the examples against the contracts and looks for secrets.
 */
export const responseExamples: Readonly<Record<string, unknown>> = {
  ...accountResponses,
  ...adminResponses,
  ...exportResponses,
  ...jobResponses,
  ...messageResponses,
  ...sendingResponses,
  ...webhookResponses,
}

const forbidden = (message: string) => ({ statusCode: 403, error: 'Forbidden', message })

/** Examples of error responses of operations that always fail, by operation id and status. */
export const errorExamples: Readonly<Record<string, Readonly<Record<number, unknown>>>> = {
  setLicense: { 403: forbidden('License keys are not supported, none is needed') },
  deleteLicense: { 403: forbidden('There is no license key to remove') },
}
