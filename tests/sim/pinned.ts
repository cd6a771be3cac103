/** Programs that once failed, shrunk, with what was wrong. They run every time. */
export const pinned: readonly { readonly was: string; readonly program: string }[] = [
  {
    was: 'messages of before a reset stayed on a disk that was full when they were to be removed',
    program: '108 send:c6r2pd flow:1n30ug fillDisk:139x85b reset:i6l4fh flow:17gbm9s',
  },
  {
    was: 'the same on another replica, which followed the reset',
    program: '166 send:xo8rtp flow:1rfp2ov reset:zmju38 fillDisk:jpucy flow:1b00g1c',
  },
];
