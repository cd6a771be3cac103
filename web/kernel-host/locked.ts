/** What this browser stores opens by a password alone, and is not open. The message says what was wrong with one that was given. */
export class Locked extends Error {
  constructor(problem = '') {
    super(problem);
    this.name = 'Locked';
  }
}
