/** Something is wrong that the person at the terminal can mend; the message says what and how. */
export class Fault extends Error {}

/** The person asked to stop while something was still being set up. */
export class Stopped extends Error {}
