package io.tony.client;

/** What {@code tony help} says. */
final class Usage {
  static final String TEXT =
      """
      usage: tony submit   [options]           run a job and follow it to its end
             tony run      [FILE.job] [options]   or -flow FOLDER
                                               the same on this machine alone, without a cluster
             tony notebook [APPLICATION] [options]
                                               Jupyter in a container, in a browser on this machine
             tony validate [options]           check a job against the options and the cluster
             tony validate PROJECT             the same for every tony job of an Azkaban project
             tony follow   APPLICATION         follow one that was submitted before to its end
             tony list     [options]           the jobs of the history, running and ended
             tony status   APPLICATION [-json] what an application is doing
             tony kill     APPLICATION         end an application; returns when it has ended
             tony logs     APPLICATION [TASK] [-follow]
                                               where its tasks' logs are, or one task's log
             tony stacks   APPLICATION [TASK]  where its tasks stand now; all threads of one task
             tony shell    APPLICATION [TASK] [-command COMMAND]
                                               a terminal in a task's container, or a command there
             tony events   APPLICATION [-follow]
                                               the lines of its event log
             tony timeline APPLICATION [-svg FILE] [-json]
                                               where its time went, phase by phase and task by task
             tony compare  APPLICATION APPLICATION...   or -project P -flow F -job J
                                               what runs of a job took, and what came out of them
             tony history  [options]           serves the history of all users, until it is ended
             tony doctor   [-queue NAME] [-plugin FOLDER] [-nodes NUMBER|all] [-conf KEY=VALUE]
                                               check an installation, with a job of its own
             tony version                      of this installation, of Hadoop and of Java

      options of submit, run, notebook and validate:
        -executes COMMAND       what every task runs; with -python_binary_path, a script
        -src_dir FOLDER         shipped to every task's working directory
        -task_params ARGUMENTS  follow the command
        -python_venv ARCHIVE    -python_binary_path PATH    -hdfs_classpath FOLDER
        -sidecar_tensorboard_log_dir FOLDER   shown by a TensorBoard beside the tasks
        -shell_env NAME=VALUE   environment of the tasks, as often as needed
        -conf_file FILE         a tony.xml          -conf KEY=VALUE     one option
        -job_file FILE          a .job file without ${...}, or options as a properties file
        -status_file FILE       -output_file FILE   -events   -v
      options of notebook:
        -name NAME              its files are kept under this name; without it: default
        -gpus N   -memory 8g   -vcores N          its container
        -idle 2h                how long it may be unused before it ends; 0 for ever
        -port N                 of this machine; default: 8888, or one that is free
        -link_file FILE         gets the link, which is a secret, instead of the terminal
        -executes COMMAND       instead of Jupyter; listens at 127.0.0.1, port $TB_PORT
      options of validate PROJECT, a zip archive or a folder:
        -property KEY=VALUE     what its flows are started with, as often as needed
        -plugin FOLDER          the job type's folder in Azkaban, for what the administrator has set
        -offline                does not ask the cluster
      options of list, and of compare without applications:
        -user NAME|all   -project P   -flow F   -job J
        -status S   -since 7d   -text T   -limit 20   only of list
        -last 10                only of compare: how many runs
        -json                   for programs
      options of history:
        -listen HOST:PORT       default: localhost:18090    -refresh 10s   between looks for new jobs
        -folders PATTERN,...    of the logs; default: .tony/history of every user's home
        -index FILE             what was read before; default: a file in TONY_CACHE
        -retention 90d          deletes logs of jobs that ended before that; default: keeps all
      options of logs and events:
        -follow                 goes on until the end
      options of timeline:
        -svg FILE               draws it into a file instead          -json   prints it for programs
      What looks at jobs that were submitted takes -conf_file, -conf and -job_file, for those with
      their own folders.
      All options of a job: docs/configuration.md""";

  private Usage() {}
}
