/** SQLSTATE of a missing row that a foreign key refers to. */
export const foreignKeyViolation = '23503'
