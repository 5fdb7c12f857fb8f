import { operations } from '@posthorn/contracts/operations'
import { AppError } from '@posthorn/errors'
import { handle, type OperationHandler } from '../../http/handle.ts'

/** Posthorn needs no license key: the license is always active and cannot be set or removed. */
export function licenseHandlers(): OperationHandler[] {
  return [
    handle(operations.getLicense, async () => ({
      active: true,
      type: 'No license key needed',
      details: false as const,
      suspended: false,
    })),
    handle(operations.setLicense, async () => {
      throw new AppError('forbidden', 'License keys are not supported, none is needed')
    }),
    handle(operations.deleteLicense, async () => {
      throw new AppError('forbidden', 'There is no license key to remove')
    }),
  ]
}
