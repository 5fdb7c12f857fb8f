import { operations } from '@posthorn/contracts'
import { AppError } from '@posthorn/errors'
import { handle, type Route } from '../../http/route.ts'

/** Posthorn asks for no key. Clients that look for one find it active; there is nothing to install or to remove. */
export function onLicense(): Route[] {
  return [
    handle(operations.getLicense, async () => ({
      active: true,
      type: 'No license key needed',
      details: false as const,
      suspended: false,
    })),
    handle(operations.setLicense, async () => {
      throw new AppError('forbidden', 'No license key is needed, and none is taken')
    }),
    handle(operations.deleteLicense, async () => {
      throw new AppError('forbidden', 'There is no license key to remove')
    }),
  ]
}
