import type { AdminRole } from '@posthorn/contracts/admin/roles'
import { roleTexts } from '../../data/rights.ts'

/** Choices of the form field for a person's role. */
export const roleChoices = (Object.keys(roleTexts) as AdminRole[]).map((value) => ({
  value,
  label: `${value}: ${roleTexts[value]}`,
}))
