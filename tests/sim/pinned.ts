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
  {
    was: 'a link that had silently gone was kept for a day by a browser whose clock went back',
    program:
      '196 killDriverSoon:a6ze12 partition:kqnfvz send:g6tfr6 flow:i2d6l1 flow:sm18fy cut:16zk79z approve:wfw5f2 spawn:1q80pos cut:1focntv flow:154olyy killReplicaSoon:1nfgenh flow:11n79e2 flow:1c6vb8z send:r3j7j5 deliver:8sreum killReplicaSoon:jcfgpj jumpClock:9xfxnt deliver:gzmmxu cut:rjaosr flow:1qknthv wait:1g0zrmy cut:yt63bl',
  },
  {
    was: 'a lease was trusted beyond its end by a browser whose clock went back',
    program:
      '184 send:1vxx22e spawn:3edy6 flow:1raffmp flow:1hurjr2 approve:1plvako send:1f278pr flow:jfkz8a send:r6oq1w send:on9zak wait:hxguer send:1dkgzzi killReplica:1h1ycke flow:1xl2g6f wait:14d6zmn flow:819sib wait:gxy703 flow:vev2pi fillRoom:15yj4kf flow:1gi76fc send:2tksg1 flow:1rb0sk8 wait:dd8uay flow:1u3l3lj wait:1jjx1qm flow:hmv8jo wait:1vkn6sy flow:7376or jumpClock:zadi3z flow:oqpg92',
  },
  {
    was: 'a process was said to run for ever after a browser that knew less had written over the word of its end',
    program: '169 approve:1uem4cj flow:1gcvcz7 fillDisk:n1rwb6 send:17pcire send:mm0f1k flow:pekq2v',
  },
  {
    was: 'an edit whose contents had to be fetched undid what another browser wrote meanwhile',
    program:
      '192 write:1jp27be flow:khcp1i freeze:uc3pcu send:1yaulkf flow:epm5z9 flow:x0dyns flow:q4yx4a edit:1lrz2p1 wait:1mk44cv wait:11gs0n1 flow:1auvets flow:1h4x2fz flow:1epsdf0 write:s0f5q flow:z3au1f flow:1cu8ml5 flow:1q6gzhd',
  },
  {
    was: 'messages that came before the state that counts them were taken for those of an older version, and a million counted',
    program:
      '1649 cut:sx5cmf wait:z19g2w wait:1oe7y1g flow:i7jqls wait:1kf5r4z partition:19vhpa2 killReplica:zrl4or wait:1ajtdw4 wait:ooc8ig killReplica:1uv0fy4 flow:rgwjjr killReplicaSoon:s5tl3c send:ys8t3r spawn:dowpdx flow:358nj0 fillRoom:14fpafn wait:1foadu5 deliver:9hm6eh approve:k1a89e wait:1t0iqqd flow:qnpg9t',
  },
  {
    was: 'a message that two browsers began apart stood twice until somebody read its document, when newer ones followed',
    program:
      '1540 send:sf0zcq wait:lre43w flow:1sdtst6 flow:45jcyy fillRoom:1dtowzi send:1lksnt4 flow:upq111 partition:9mdxb7 wait:rx5pzq wait:14sxre9 killReplicaSoon:19p5bxa send:ybcbu3 flow:1fktikt',
  },
  {
    was: 'a message was lost at a reset apart, when one before it was archived there and taken back as a twin here',
    program:
      '613 send:mxzuan wait:19s01xy wait:rh899f takeOver:gxk7ei killReplicaSoon:1d9heiu flow:1jjj251 send:1ctpx98 flow:h6proh flow:12a1veb send:2dfbku flow:1gb79u4 partition:ko749d takeOver:a4j2eg send:1bezpb3 flow:qbnll9 killReplica:926euj killReplicaSoon:1xjmeyq flow:1fxrnts flow:1kb4v91 killRoomSoon:6dcwzr flow:s8ax5 reset:rwghz7 wait:3bn1oh flow:1jxp98p',
  },
  {
    was: 'the simulation itself: who was made to give up by force could not be told, also when the lease was given on since',
    program:
      '1116 send:o884gy send:dok2m1 flow:19bk86s cut:16go1w7 stop:1e7rspt flow:13o3quw takeOver:ikrn52',
  },
  {
    was: 'a browser that woke up without its lease asked a model again that had failed for now',
    program:
      '1525 cut:1kjt3iw killReplica:h5p74j write:rpd8zg flow:1hr8shl send:4hl6yg killRoom:pkxaoa flow:1ao9ee4 send:1kuhu8p flow:hgdxuc killRoomSoon:1nn25a0 send:3pg5am flow:wjvzu2 flow:dvol57 send:3c0jaa cut:1xel5h3 killReplica:ae78kb flow:ya3nbg freeze:5otd1z send:1u69d66 wait:yj97lf flow:vqowk4 write:upeamb killRoomSoon:9m26wh send:1k0pa5i flow:19h18al send:13qm2c8 flow:qedpg0 send:1sbfimy flow:1hrrgs1 killDriverSoon:1783ex4 write:1a0npyf killReplica:zgzo3i flow:oxbm8l flow:1piv7ln send:1ez75qq flow:10iaa1b spawn:l2ennd flow:165qrd7 wait:vm2pia wait:1gpet84 flow:gss9en reset:e07ydc send:1xj4ip8 killReplicaSoon:91oil1 flow:gd0s51 wait:jui4px send:9au2v0 flow:19lkliq flow:11ugup4 flow:1d31y3m flow:rzpuds flow:usa5f3 flow:zfz0jv spawn:ecmwu1 killRoom:3syuz4 send:16i5ptw wait:1h1trot send:1rlhtjq flow:ogjhfc flow:1ykgipi send:7ag7k0 flow:14wtkw4 killReplica:1q05oly flow:99tfbd takeOver:jthh6a flow:1eocl37 approve:144oj8a freeze:ba8oou approve:1p80my4 flow:qsg6c2 flow:fjv2xk flow:1lqjad8 flow:1bl82pn flow:49vcgs flow:17nz8v5 flow:j376mw wait:1tjhsba flow:29hh5s flow:9bo6ft wait:1xt46k0 flow:17r8n1v flow:5ht9gp flow:1wrtkm7',
  },
  {
    was: 'long contents that a browser was asked to write took effect after shorter ones of later',
    program:
      '952 freeze:zeascu send:biedlp flow:yqbqs write:pkrgt wait:b98tbq wait:j0ck5c flow:1t0vok4 flow:1ih7mp7 write:24azey wait:15ievtb wait:ibfilr flow:veib80',
  },
  {
    was: 'a browser whose answer the full room could not store, though it had nothing new, heard of no change any more',
    program: '2023 wait:3b1c8m write:p8jw4x fillRoom:6ioz0p flow:h2d0vm',
  },
  {
    was: 'a run was given up for a browser whose full disk had refused to take it over',
    program:
      '618 killRoom:622wbb deliver:1ujiwfi killReplica:19g6spo wait:zxwbmf partition:1ssc65v cut:1lgzwlv deliver:1w0nygs write:7j7ycl killReplica:chre4w flow:n1ffzt flow:5xvtet killRoomSoon:1ufbtj0 flow:ysbny9 flow:1rmrihp send:1h33gms killRoomSoon:njqkjr flow:1qxugy4 partition:2gegtx flow:1a44rh0 killRoomSoon:1udob3n wait:1ju098q flow:qzkepa flow:vy3uhl spawn:lefsmo killReplicaSoon:kd56ov killReplica:1nr9338 flow:18qtnlz flow:r4ywh1 flow:djkzau fillDisk:6truf1 flow:1vb7uj8 send:1krjsob',
  },
  {
    was: 'a run that was taken over and came back went on before what the other browser had written of it',
    program:
      '2578 spawn:1f0vvmg flow:o536at send:vw6x4f flow:1tybrq5 wait:ybbm5e flow:it44i6 freeze:1qpzzf8 wait:u1p7wo flow:14ld9rl flow:c51e2e flow:mopfxb flow:h1agjm flow:rkyiej flow:9z3r9l send:1ygjrds flow:2800fz wait:1g5ryp9 wait:1u6xd52 flow:1jn9ba5 flow:z5vyf5 flow:j5j2yv flow:1q14by4 flow:6i7rm8 wait:1uqi7gg flow:91midk wait:v69817 wait:a2x4bd flow:1ykd4fk flow:bpwroi flow:m9ktjf flow:1hwkz46',
  },
  {
    was: 'a message was lost that was said after a reset, while another browser archived what was there before it',
    program:
      '171 send:1bcd8cx flow:t1lfoe freeze:6zy2ai wait:12my7v9 killReplicaSoon:1d6m9q6 flow:1bla4se flow:1tw1xgx flow:fy9z7n reset:1x4kru wait:cgsmmr send:vjpgz4 wait:1r6pmjv flow:1tuef1k wait:1gi625c flow:1nkcrfd reset:vcfg9f flow:2hzlpz flow:15w3i4c killRoom:1gfrjz9 flow:1ugwyf2 flow:dqkp4h flow:ytwsub flow:16l0jnx flow:lkwg2c write:w4khx9 flow:1efcals',
  },
];
