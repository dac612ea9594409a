<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>shardlab::ui</name>
    <message>
        <source> · stage %1</source>
        <translation> · 阶段 %1</translation>
    </message>
    <message>
        <source> · microbatch %1</source>
        <translation> · 微批次 %1</translation>
    </message>
    <message>
        <source> · weights v%1</source>
        <translation> · 权重 v%1</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>View</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>New layout</source>
        <translation>新建布局</translation>
    </message>
    <message>
        <source>Begin with the default layout</source>
        <translation>从默认布局开始</translation>
    </message>
    <message>
        <source>Open …</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>Open a layout or a recorded run, or make a layout of another trainer&apos;s configuration</source>
        <translation>打开布局或已记录的运行，或由其他训练框架的配置生成布局</translation>
    </message>
    <message>
        <source>Import traces …</source>
        <translation>导入 trace…</translation>
    </message>
    <message>
        <source>Make a run of what PyTorch&apos;s profiler or another program recorded</source>
        <translation>由 PyTorch profiler 或其他程序的记录生成一个运行</translation>
    </message>
    <message>
        <source>Connect …</source>
        <translation>连接…</translation>
    </message>
    <message>
        <source>Watch a run that another machine serves, from its start</source>
        <translation>从头观看另一台机器提供的运行</translation>
    </message>
    <message>
        <source>Listen for a program</source>
        <translation>监听程序</translation>
    </message>
    <message>
        <source>Show what a training script of your own sends while it runs</source>
        <translation>显示自己的训练脚本在运行时发来的内容</translation>
    </message>
    <message>
        <source>Share runs …</source>
        <translation>共享运行…</translation>
    </message>
    <message>
        <source>Let others watch the runs that start here, from their own machines</source>
        <translation>让他人在自己的机器上观看在这里启动的运行</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Write the layout to its file</source>
        <translation>把布局写到其文件</translation>
    </message>
    <message>
        <source>Save as …</source>
        <translation>另存为…</translation>
    </message>
    <message>
        <source>Write the layout to another file</source>
        <translation>把布局写到另一个文件</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Close Shardlab, after the run under way has ended</source>
        <translation>等正在进行的运行结束后关闭 Shardlab</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Take back the last change of the layout</source>
        <translation>撤销对布局的上一次更改</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>Make the change again that was taken back</source>
        <translation>重做刚才撤销的更改</translation>
    </message>
    <message>
        <source>Plan for me</source>
        <translation>替我规划</translation>
    </message>
    <message>
        <source>Try every legal layout for this model, cluster and batch</source>
        <translation>对这个模型、集群和批次尝试所有合法的布局</translation>
    </message>
    <message>
        <source>Run this layout</source>
        <translation>运行此布局</translation>
    </message>
    <message>
        <source>Train this layout now, on the ranks it asks for</source>
        <translation>立即在布局要求的 rank 上训练此布局</translation>
    </message>
    <message>
        <source>Export for Megatron-LM …</source>
        <translation>导出给 Megatron-LM…</translation>
    </message>
    <message>
        <source>Show the layout in Design as arguments of Megatron-LM, and save them</source>
        <translation>把“设计”中的布局显示为 Megatron-LM 的参数并保存</translation>
    </message>
    <message>
        <source>Export for torchtitan 0.2 …</source>
        <translation>导出给 torchtitan 0.2…</translation>
    </message>
    <message>
        <source>Show the layout in Design as a configuration of torchtitan 0.2, and save it</source>
        <translation>把“设计”中的布局显示为 torchtitan 0.2 的配置并保存</translation>
    </message>
    <message>
        <source>Export for DeepSpeed …</source>
        <translation>导出给 DeepSpeed…</translation>
    </message>
    <message>
        <source>Show the layout in Design as a configuration of DeepSpeed, and save it</source>
        <translation>把“设计”中的布局显示为 DeepSpeed 的配置并保存</translation>
    </message>
    <message>
        <source>Export for accelerate …</source>
        <translation>导出给 accelerate…</translation>
    </message>
    <message>
        <source>Show the layout in Design as a configuration of accelerate, and save it</source>
        <translation>把“设计”中的布局显示为 accelerate 的配置并保存</translation>
    </message>
    <message>
        <source>Export for the last trainer …</source>
        <translation>导出给上次的训练框架…</translation>
    </message>
    <message>
        <source>Show the layout in Design as a configuration of the trainer that was chosen last</source>
        <translation>把“设计”中的布局显示为上次所选训练框架的配置</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Pause after this step, or go on</source>
        <translation>在这一步之后暂停，或继续</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>单步</translation>
    </message>
    <message>
        <source>Run one more step, then pause</source>
        <translation>再运行一步，然后暂停</translation>
    </message>
    <message>
        <source>Checkpoint now</source>
        <translation>立即保存检查点</translation>
    </message>
    <message>
        <source>Write the state of the run to disk after this step, while it goes on</source>
        <translation>在这一步之后把运行状态写到磁盘，运行继续进行</translation>
    </message>
    <message>
        <source>Fewer replicas</source>
        <translation>减少副本</translation>
    </message>
    <message>
        <source>Let an elastic run (Fewest replicas, in Design) continue with the next smaller number of replicas, from a checkpoint after this step</source>
        <translation>让弹性运行（“设计”中的“最少副本数”）从这一步之后的检查点起，以更少一档的副本数继续</translation>
    </message>
    <message>
        <source>More replicas</source>
        <translation>增加副本</translation>
    </message>
    <message>
        <source>Let an elastic run continue with the next larger number of replicas, up to the layout&apos;s, from a checkpoint after this step</source>
        <translation>让弹性运行从这一步之后的检查点起，以更多一档的副本数继续，最多到布局规定的数目</translation>
    </message>
    <message>
        <source>Kill the selected rank</source>
        <translation>终止所选的 rank</translation>
    </message>
    <message>
        <source>Inject a fault: the rank&apos;s process dies at once, and the run ends or restarts from a checkpoint, as its layout says</source>
        <translation>注入故障：该 rank 的进程立即终止，运行按布局的设置结束或从检查点重启</translation>
    </message>
    <message>
        <source>Stop the selected rank&apos;s process</source>
        <translation>暂停所选 rank 的进程</translation>
    </message>
    <message>
        <source>Inject a fault: the rank&apos;s process stands still at once, until the watchdog finds that it hangs</source>
        <translation>注入故障：该 rank 的进程立即停住，直到看门狗发现它挂起</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>End the run after this step; its file stays whole</source>
        <translation>在这一步之后结束运行；其文件保持完整</translation>
    </message>
    <message>
        <source>Disconnect</source>
        <translation>断开连接</translation>
    </message>
    <message>
        <source>Stop watching the served run: the run continues, and what has arrived is kept</source>
        <translation>停止观看：运行继续进行，已到达的内容保留</translation>
    </message>
    <message>
        <source>Checkpoints …</source>
        <translation>检查点…</translation>
    </message>
    <message>
        <source>List the run&apos;s checkpoints and go on from one, with its own layout or another</source>
        <translation>列出运行的检查点，并从其中一个继续，可用它自己的或别的布局</translation>
    </message>
    <message>
        <source>Measure this machine</source>
        <translation>测量本机</translation>
    </message>
    <message>
        <source>Measure how long this layout&apos;s layers and messages take on this machine, so that predictions use the measured times</source>
        <translation>测量此布局的各层和消息在本机上的时间，使预测采用实测时间</translation>
    </message>
    <message>
        <source>Replay the last run</source>
        <translation>回放最近的运行</translation>
    </message>
    <message>
        <source>Open the run recorded last in Replay</source>
        <translation>在“回放”中打开最近记录的运行</translation>
    </message>
    <message>
        <source>Stop reading</source>
        <translation>停止读取</translation>
    </message>
    <message>
        <source>Stop opening a run and keep what has been read, or stop an import and keep nothing</source>
        <translation>停止打开运行并保留已读取的内容，或停止导入且不保留任何内容</translation>
    </message>
    <message>
        <source>Home</source>
        <translation>主页</translation>
    </message>
    <message>
        <source>Go to the page with presets, recent files and lessons</source>
        <translation>到列有预设、最近文件和课程的页面</translation>
    </message>
    <message>
        <source>Design</source>
        <translation>设计</translation>
    </message>
    <message>
        <source>Design a layout and see its prediction</source>
        <translation>设计布局并查看其预测</translation>
    </message>
    <message>
        <source>Watch the run live</source>
        <translation>实时观看运行</translation>
    </message>
    <message>
        <source>Replay</source>
        <translation>回放</translation>
    </message>
    <message>
        <source>Look at a recorded run again</source>
        <translation>重新查看已记录的运行</translation>
    </message>
    <message>
        <source>Learn</source>
        <translation>学习</translation>
    </message>
    <message>
        <source>Read a lesson and run its experiments</source>
        <translation>阅读课程并运行其中的实验</translation>
    </message>
    <message>
        <source>Find events …</source>
        <translation>查找事件…</translation>
    </message>
    <message>
        <source>Look for actions, kinds, ranks, steps or durations in the timeline</source>
        <translation>在时间线中查找动作、类别、rank、步或持续时间</translation>
    </message>
    <message>
        <source>Next event found</source>
        <translation>下一个找到的事件</translation>
    </message>
    <message>
        <source>Select the next event that the search has found</source>
        <translation>选择搜索找到的下一个事件</translation>
    </message>
    <message>
        <source>Previous event found</source>
        <translation>上一个找到的事件</translation>
    </message>
    <message>
        <source>Select the previous event that the search has found</source>
        <translation>选择搜索找到的上一个事件</translation>
    </message>
    <message>
        <source>Go to step …</source>
        <translation>转到某一步…</translation>
    </message>
    <message>
        <source>Go to the step with a number that you type</source>
        <translation>转到键入编号的步</translation>
    </message>
    <message>
        <source>Next slow step</source>
        <translation>下一个慢步</translation>
    </message>
    <message>
        <source>Go to the next step more than 20 % longer than the median one</source>
        <translation>到下一个比中位数步长 20 % 以上的步</translation>
    </message>
    <message>
        <source>Previous slow step</source>
        <translation>上一个慢步</translation>
    </message>
    <message>
        <source>Go to the previous step more than 20 % longer than the median one</source>
        <translation>到上一个比中位数步长 20 % 以上的步</translation>
    </message>
    <message>
        <source>Pin the rank</source>
        <translation>固定 rank</translation>
    </message>
    <message>
        <source>Keep the selected rank at the top of the timeline, or put it back in its place</source>
        <translation>把所选的 rank 固定在时间线顶部，或放回原处</translation>
    </message>
    <message>
        <source>Group ranks by the next axis</source>
        <translation>按下一个轴对 rank 分组</translation>
    </message>
    <message>
        <source>Put ranks with the same position on an axis of the mesh together: the next axis with each press, then none</source>
        <translation>把网格中某一轴坐标相同的 rank 放在一起：每按一次换下一个轴，最后不分组</translation>
    </message>
    <message>
        <source>Write a note …</source>
        <translation>写备注…</translation>
    </message>
    <message>
        <source>Write a note at the cursor; the note is kept in the run file</source>
        <translation>在光标处写备注；备注保存在运行文件中</translation>
    </message>
    <message>
        <source>Compare with the prediction</source>
        <translation>与预测比较</translation>
    </message>
    <message>
        <source>Show the opened run beside its prediction</source>
        <translation>把已打开的运行与其预测并排显示</translation>
    </message>
    <message>
        <source>Compare with another run …</source>
        <translation>与另一个运行比较…</translation>
    </message>
    <message>
        <source>Show the opened run beside another recorded run</source>
        <translation>把已打开的运行与另一个已记录的运行并排显示</translation>
    </message>
    <message>
        <source>Stop comparing</source>
        <translation>停止比较</translation>
    </message>
    <message>
        <source>Close the comparison</source>
        <translation>关闭比较</translation>
    </message>
    <message>
        <source>Critical path</source>
        <translation>关键路径</translation>
    </message>
    <message>
        <source>Draw the chain of actions that decides how long the predicted step takes</source>
        <translation>画出决定预测步耗时的那一串动作</translation>
    </message>
    <message>
        <source>Light colours</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Switch between dark and light colours</source>
        <translation>切换深色和浅色</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Show the desktop in the language of the system, from its next start on</source>
        <translation>从下次启动起，界面使用系统的语言</translation>
    </message>
    <message>
        <source>Show the desktop in English, from its next start on</source>
        <translation>从下次启动起，界面使用英文</translation>
    </message>
    <message>
        <source>Show the desktop in Simplified Chinese, from its next start on</source>
        <translation>从下次启动起，界面使用简体中文</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>全屏</translation>
    </message>
    <message>
        <source>Fill the screen, or go back to a window</source>
        <translation>占满屏幕，或恢复为窗口</translation>
    </message>
    <message>
        <source>Fill the workspace with this view</source>
        <translation>用此视图填满工作区</translation>
    </message>
    <message>
        <source>Show only the view that has the keyboard focus, or all views again</source>
        <translation>只显示拥有键盘焦点的视图，或重新显示所有视图</translation>
    </message>
    <message>
        <source>Show the view as a table …</source>
        <translation>将视图显示为表格…</translation>
    </message>
    <message>
        <source>Show all that the view with the keyboard focus draws as a table to read, filter and copy</source>
        <translation>把拥有键盘焦点的视图所画的全部内容显示为可阅读、筛选和复制的表格</translation>
    </message>
    <message>
        <source>Save the view as a figure …</source>
        <translation>将视图保存为图…</translation>
    </message>
    <message>
        <source>Save the view that has the keyboard focus as SVG, PDF or PNG: with its title, in light colours, without buttons</source>
        <translation>将拥有键盘焦点的视图保存为 SVG、PDF 或 PNG：带标题，浅色，不含按钮</translation>
    </message>
    <message>
        <source>Copy the view as SVG</source>
        <translation>将视图复制为 SVG</translation>
    </message>
    <message>
        <source>Copy the view that has the keyboard focus as a drawing of shapes and text</source>
        <translation>将拥有键盘焦点的视图复制为由图形和文字构成的矢量图</translation>
    </message>
    <message>
        <source>Copy the view as a picture</source>
        <translation>将视图复制为图片</translation>
    </message>
    <message>
        <source>Copy the view that has the keyboard focus as an image of pixels</source>
        <translation>将拥有键盘焦点的视图复制为位图</translation>
    </message>
    <message>
        <source>Reset arrangement</source>
        <translation>重置排列</translation>
    </message>
    <message>
        <source>Put the views of this workspace back in their first places</source>
        <translation>把此工作区的视图恢复到最初的位置</translation>
    </message>
    <message>
        <source>Next view</source>
        <translation>下一个视图</translation>
    </message>
    <message>
        <source>Move the keyboard focus to the next view</source>
        <translation>把键盘焦点移到下一个视图</translation>
    </message>
    <message>
        <source>Previous view</source>
        <translation>上一个视图</translation>
    </message>
    <message>
        <source>Move the keyboard focus to the previous view</source>
        <translation>把键盘焦点移到上一个视图</translation>
    </message>
    <message>
        <source>Commands …</source>
        <translation>命令…</translation>
    </message>
    <message>
        <source>Find a command by its name</source>
        <translation>按名称查找命令</translation>
    </message>
    <message>
        <source>Manual</source>
        <translation>手册</translation>
    </message>
    <message>
        <source>Read how Shardlab is used and built, with its glossary and file formats</source>
        <translation>阅读 Shardlab 的使用方法和构造，以及术语表和文件格式</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Show every key</source>
        <translation>显示所有快捷键</translation>
    </message>
    <message>
        <source>Main menu</source>
        <translation>主菜单</translation>
    </message>
    <message>
        <source>Open the menu with the keyboard</source>
        <translation>用键盘打开菜单</translation>
    </message>
    <message>
        <source>About Shardlab</source>
        <translation>关于 Shardlab</translation>
    </message>
    <message>
        <source>Show the version and the licences</source>
        <translation>显示版本和许可证</translation>
    </message>
    <message>
        <source>will not replace</source>
        <translation>不会覆盖</translation>
    </message>
    <message>
        <source>it exists</source>
        <translation>文件已存在</translation>
    </message>
    <message>
        <source>another name for the export</source>
        <translation>为导出另取名称</translation>
    </message>
    <message>
        <source>embedding</source>
        <translation>嵌入层</translation>
    </message>
    <message>
        <source>output</source>
        <translation>输出层</translation>
    </message>
    <message>
        <source>all layers</source>
        <translation>所有层</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>第 %1 层</translation>
    </message>
    <message>
        <source>%1, sum over replicas</source>
        <translation>%1，各副本求和</translation>
    </message>
    <message>
        <source>%1, microbatch %2</source>
        <translation>%1，微批次 %2</translation>
    </message>
    <message>
        <source>overflow: %1, step %2 skipped</source>
        <translation>溢出：%1，第 %2 步被跳过</translation>
    </message>
    <message>
        <source>%1 (rank %2)</source>
        <translation>%1（rank %2）</translation>
    </message>
    <message>
        <source>%1 (ranks %2)</source>
        <translation>%1（rank %2）</translation>
    </message>
    <message>
        <source>overflow, step skipped: %1</source>
        <translation>溢出，该步被跳过：%1</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>rank %1, microbatch %2</source>
        <translation>rank %1，微批次 %2</translation>
    </message>
    <message>
        <source>0 %</source>
        <translation>0 %</translation>
    </message>
    <message>
        <source>&lt; 0.0001 %</source>
        <translation>&lt; 0.0001 %</translation>
    </message>
    <message>
        <source>1 number</source>
        <translation>1 个数</translation>
    </message>
    <message>
        <source>%1 numbers</source>
        <translation>%1 个数</translation>
    </message>
    <message>
        <source> at step %1 of %2</source>
        <translation>（第 %1 步，共 %2 步）</translation>
    </message>
    <message>
        <source> at step %1</source>
        <translation>（第 %1 步）</translation>
    </message>
    <message>
        <source>the recording was cut off</source>
        <translation>记录中断</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>, %1 in flight</source>
        <translation>，同时 %1 个</translation>
    </message>
    <message>
        <source>, balanced stages</source>
        <translation>，阶段均衡</translation>
    </message>
    <message>
        <source>Shrink to this machine</source>
        <translation>缩小到本机</translation>
    </message>
    <message>
        <source>time of the devices</source>
        <translation>设备时间</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Paced, %1. All times and rates here are those of the modelled devices.</source>
        <translation>定速运行，%1。这里的时间和速率都以所建模的设备计。</translation>
    </message>
    <message>
        <source>%1 for %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source> · rank %1</source>
        <translation> · rank %1</translation>
    </message>
    <message>
        <source>
loss scale %1</source>
        <translation>
损失缩放系数 %1</translation>
    </message>
    <message>
        <source> predicted</source>
        <translation>（预测）</translation>
    </message>
    <message>
        <source>, predicted %1</source>
        <translation>，预测 %1</translation>
    </message>
    <message>
        <source>step %1 · rank %2 · %3</source>
        <translation>第 %1 步 · rank %2 · %3</translation>
    </message>
    <message>
        <source>the step&apos;s events were removed to keep within the size limit of %1; the step&apos;s figures:</source>
        <translation>为不超过 %1 的大小上限，这一步的事件已被删除；这一步的指标：</translation>
    </message>
    <message>
        <source>the step&apos;s events are not read yet; the step&apos;s figures:</source>
        <translation>这一步的事件尚未读取；这一步的指标：</translation>
    </message>
    <message>
        <source>the program recorded no details of this step, so that watching takes little of its time</source>
        <translation>程序没有记录这一步的细节，以使观察只占用它很少的时间</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>mark</source>
        <translation>标记</translation>
    </message>
    <message>
        <source>command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>events lost</source>
        <translation>事件丢失</translation>
    </message>
    <message>
        <source>overflow</source>
        <translation>溢出</translation>
    </message>
    <message>
        <source>injected fault</source>
        <translation>注入的故障</translation>
    </message>
    <message>
        <source>restart</source>
        <translation>重启</translation>
    </message>
    <message>
        <source>fault</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>▸ ranks %1</source>
        <translation>▸ rank %1</translation>
    </message>
    <message>
        <source>▾ rank %1</source>
        <translation>▾ rank %1</translation>
    </message>
    <message>
        <source>▸ ranks %1–%1</source>
        <translation>▸ rank %1–%1</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>%1 · computing %2</source>
        <translation>%1 · 计算占 %2</translation>
    </message>
    <message>
        <source>%1 · not all of it has details</source>
        <translation>%1 · 并非全部都有细节</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>%1 · rank %2</source>
        <translation>%1 · rank %2</translation>
    </message>
    <message>
        <source>%1, mean of %2 steps; the sides differ most in step %3: %4%5</source>
        <translation>%1，%2 步的平均值；两侧在第 %3 步差别最大：%4%5</translation>
    </message>
    <message>
        <source>%1 computes</source>
        <translation>%1 计算</translation>
    </message>
    <message>
        <source>%1 waits</source>
        <translation>%1 等待</translation>
    </message>
    <message>
        <source>%1 communicates</source>
        <translation>%1 通信</translation>
    </message>
    <message>
        <source>%1 updates</source>
        <translation>%1 更新</translation>
    </message>
    <message>
        <source>Largest ten</source>
        <translation>最大的十项</translation>
    </message>
    <message>
        <source>By kind</source>
        <translation>按类别</translation>
    </message>
    <message>
        <source>By rank</source>
        <translation>按 rank</translation>
    </message>
    <message>
        <source>By stage</source>
        <translation>按阶段</translation>
    </message>
    <message>
        <source>By layer</source>
        <translation>按层</translation>
    </message>
    <message>
        <source>By step</source>
        <translation>按步</translation>
    </message>
    <message>
        <source>The actions whose mean times in a step differ most. Waits are left out because they follow from the other actions.</source>
        <translation>一步内平均时间差别最大的动作。等待是其他动作的结果，因此不列出。</translation>
    </message>
    <message>
        <source>The mean time of each kind in one step of one rank</source>
        <translation>每类动作在一个 rank 的一步内的平均时间</translation>
    </message>
    <message>
        <source>The mean time of what each rank does in a step; ranks of different meshes are matched by their position</source>
        <translation>每个 rank 在一步内各项工作的平均时间；不同网格的 rank 按位置对应</translation>
    </message>
    <message>
        <source>The mean computing time of each stage in a step, over the ranks that hold the stage</source>
        <translation>一步内各阶段的平均计算时间，对持有该阶段的 rank 求平均</translation>
    </message>
    <message>
        <source>The computing time of each layer: an equal part of its stage&apos;s time</source>
        <translation>各层的计算时间：所属阶段时间的均分</translation>
    </message>
    <message>
        <source>The time of each step</source>
        <translation>每一步的时间</translation>
    </message>
    <message>
        <source>stage %1</source>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>layers %1 of A, %2 of B</source>
        <translation>A 的第 %1 层，B 的第 %2 层</translation>
    </message>
    <message>
        <source>in stage %1 of A, %2 of B</source>
        <translation>位于 A 的阶段 %1、B 的阶段 %2</translation>
    </message>
    <message>
        <source>loss %1 in A, %2 in B</source>
        <translation>损失：A 为 %1，B 为 %2</translation>
    </message>
    <message>
        <source>command: %1</source>
        <translation>命令：%1</translation>
    </message>
    <message>
        <source> to 1 replica</source>
        <translation>，改为 1 个副本</translation>
    </message>
    <message>
        <source> to %1 replicas</source>
        <translation>，改为 %1 个副本</translation>
    </message>
    <message>
        <source>command: kill rank %1</source>
        <translation>命令：终止 rank %1</translation>
    </message>
    <message>
        <source>command: stop rank %1&apos;s process</source>
        <translation>命令：暂停 rank %1 的进程</translation>
    </message>
    <message>
        <source>fault on rank %1</source>
        <translation>rank %1 发生故障</translation>
    </message>
    <message>
        <source> at %1</source>
        <translation>，位于 %1</translation>
    </message>
    <message>
        <source>rank %1 dropped %2 events</source>
        <translation>rank %1 丢失了 %2 个事件</translation>
    </message>
    <message>
        <source>, scale %1</source>
        <translation>，缩放系数 %1</translation>
    </message>
    <message>
        <source>straggler %1</source>
        <translation>慢 rank %1</translation>
    </message>
    <message>
        <source>validation loss %1</source>
        <translation>验证损失 %1</translation>
    </message>
    <message>
        <source>rank %1 %2</source>
        <translation>rank %1 %2</translation>
    </message>
    <message>
        <source>run %1</source>
        <translation>运行%1</translation>
    </message>
    <message>
        <source>%1 saturated in 8 bits</source>
        <translation>%1在 8 位中饱和</translation>
    </message>
    <message>
        <source>, %1 became 0</source>
        <translation>，%1 个变为 0</translation>
    </message>
    <message>
        <source>; most in %1 (%2)</source>
        <translation>；最多于 %1（%2）</translation>
    </message>
    <message>
        <source>with %1 of %2 ranks</source>
        <translation>使用 %1 个 rank，共 %2 个</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>Tokens/s</translation>
    </message>
    <message>
        <source>The tokens of one optimizer step divided by the time of the step.</source>
        <translation>一个优化器步的 token 数除以该步的时间。</translation>
    </message>
    <message>
        <source>Another program&apos;s trace does not tell how many tokens a step has.</source>
        <translation>其他程序的 trace 不记录一步有多少 token。</translation>
    </message>
    <message>
        <source>Images/s</source>
        <translation>图像/s</translation>
    </message>
    <message>
        <source>The images of one optimizer step divided by the time of the step.</source>
        <translation>一个优化器步的图像数除以该步的时间。</translation>
    </message>
    <message>
        <source>pred %1</source>
        <translation>预测 %1</translation>
    </message>
    <message>
        <source>Bubble</source>
        <translation>气泡</translation>
    </message>
    <message>
        <source>The share of the time from the step&apos;s first forward to its last backward in which ranks do not compute, as a mean over ranks.</source>
        <translation>从该步第一个前向到最后一个反向的时间里，rank 没有在计算的比例，对各 rank 求平均。</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>The share of the time from the step&apos;s first kernel to its last in which no kernel runs, as a mean over ranks. Median so far %1.</source>
        <translation>从该步第一个内核到最后一个内核的时间里，没有内核运行的比例，对各 rank 求平均。目前的中位数为 %1。</translation>
    </message>
    <message>
        <source>theory %1</source>
        <translation>理论 %1</translation>
    </message>
    <message>
        <source>Predicted %1; median so far %2.</source>
        <translation>预测 %1；目前的中位数为 %2。</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>步时间</translation>
    </message>
    <message>
        <source>The time from the first rank&apos;s start of the step to the last rank&apos;s end.</source>
        <translation>从第一个 rank 开始该步到最后一个 rank 结束该步的时间。</translation>
    </message>
    <message>
        <source>Median so far %1.</source>
        <translation>目前的中位数为 %1。</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>The mean loss over the step&apos;s tokens, in nats. Beside it stands the norm of the gradient before clipping.</source>
        <translation>该步各 token 的平均损失，单位 nat。旁边是裁剪前的梯度范数。</translation>
    </message>
    <message>
        <source>grad norm %1</source>
        <translation>梯度范数 %1</translation>
    </message>
    <message>
        <source>step skipped</source>
        <translation>该步被跳过</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>内存峰值</translation>
    </message>
    <message>
        <source>The largest sum of all memory categories on any rank in the step.</source>
        <translation>该步中任一 rank 上各类内存之和的最大值。</translation>
    </message>
    <message>
        <source>Pace overruns</source>
        <translation>定速超时</translation>
    </message>
    <message>
        <source>The number of actions whose real work took longer than the modelled device would have taken; the measured timeline is late by the difference.</source>
        <translation>实际工作比所建模的设备更久的动作数；实测时间线因此推迟相应的时间。</translation>
    </message>
    <message>
        <source>largest %1</source>
        <translation>最大 %1</translation>
    </message>
    <message>
        <source>on pace</source>
        <translation>未超时</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>The share of the step in which ranks wait for messages or reductions, as a mean over ranks. The pipeline&apos;s bubble is part of it.</source>
        <translation>一步之中 rank 等待消息或归约的时间比例，对各 rank 求平均。流水线气泡也计入其中。</translation>
    </message>
    <message>
        <source>Another program&apos;s trace does not tell what its kernels waited for.</source>
        <translation>其他程序的 trace 不记录内核在等待什么。</translation>
    </message>
    <message>
        <source>reductions %1</source>
        <translation>归约 %1</translation>
    </message>
    <message>
        <source>MFU</source>
        <translation>MFU</translation>
    </message>
    <message>
        <source>Model FLOPs utilisation: the operations that the model needs for a step, as a share of what the devices could do in that time. A token needs 6 for each weight of a matrix product and 12 × sequence × hidden for the attention of each layer; recomputation does not count.</source>
        <translation>模型 FLOPs 利用率：模型一步所需的运算量占设备在这段时间内所能完成的运算量的比例。每个 token 对矩阵乘法的每个权重需要 6 次运算，每层注意力需要 12 × 序列长度 × 隐藏维度；重计算不计入。</translation>
    </message>
    <message>
        <source>Peak: %1, together %2FLOP/s.</source>
        <translation>峰值：%1，合计 %2FLOP/s。</translation>
    </message>
    <message>
        <source>from another program (%1)</source>
        <translation>来自其他程序（%1）</translation>
    </message>
    <message>
        <source>%1 · %2 · %3 of %4 layers</source>
        <translation>%1 · %2 · %3（%4 层）</translation>
    </message>
    <message>
        <source>%1 and %2 more</source>
        <translation>%1 及另外 %2 个</translation>
    </message>
    <message>
        <source>Set %1 to %2</source>
        <translation>将%1设为 %2</translation>
    </message>
    <message>
        <source>device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>of 1 device</source>
        <translation>共 1 个设备</translation>
    </message>
    <message>
        <source>of %1 devices</source>
        <translation>共 %1 个设备</translation>
    </message>
    <message>
        <source>this machine</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>1 other host</source>
        <translation>另外 1 台主机</translation>
    </message>
    <message>
        <source>%1 other hosts</source>
        <translation>另外 %1 台主机</translation>
    </message>
    <message>
        <source>this machine and %1</source>
        <translation>本机和%1</translation>
    </message>
    <message>
        <source>the machine it runs on, at full speed</source>
        <translation>所运行的机器，全速</translation>
    </message>
    <message>
        <source>, %1 within a node</source>
        <translation>，节点内 %1</translation>
    </message>
    <message>
        <source>, %1 Gbit/s between nodes</source>
        <translation>，节点间 %1 Gbit/s</translation>
    </message>
    <message>
        <source>1 microbatch</source>
        <translation>1 个微批次</translation>
    </message>
    <message>
        <source>%1 microbatches</source>
        <translation>%1 个微批次</translation>
    </message>
    <message>
        <source>%1 parameters</source>
        <translation>%1 参数</translation>
    </message>
    <message>
        <source>bubble %1</source>
        <translation>气泡 %1</translation>
    </message>
    <message>
        <source>1 rank</source>
        <translation>1 个 rank</translation>
    </message>
    <message>
        <source>%1 ranks</source>
        <translation>%1 个 rank</translation>
    </message>
    <message>
        <source>ranks %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>filling and draining the pipeline</source>
        <translation>流水线的填充和排空</translation>
    </message>
    <message>
        <source>waiting for slower stages</source>
        <translation>等待较慢的阶段</translation>
    </message>
    <message>
        <source>waiting for what moves between ranks</source>
        <translation>等待 rank 之间的传输</translation>
    </message>
    <message>
        <source>waiting for a core that another rank has</source>
        <translation>等待被其他 rank 占用的核心</translation>
    </message>
    <message>
        <source> It is all %1.</source>
        <translation>全部是%1。</translation>
    </message>
    <message>
        <source> It consists of %1 and %2.</source>
        <translation>其中包括%1和%2。</translation>
    </message>
    <message>
        <source>%1 of the step is bubble</source>
        <translation>一步中气泡占 %1</translation>
    </message>
    <message>
        <source>Rank 0 is the parameter server and computes no gradients. It is idle while no gradient arrives, and workers are idle while they wait for it. No formula of a schedule covers this.</source>
        <translation>Rank 0 是参数服务器，不计算梯度。没有梯度到达时它空闲，而各 worker 在等待它时空闲。没有哪个调度公式适用于这种情况。</translation>
    </message>
    <message>
        <source>Workers wait neither for each other nor for a lock. A worker computes nothing while it copies the shared weights.</source>
        <translation>各 worker 既不相互等待，也不等待锁。worker 在复制共享权重时不计算。</translation>
    </message>
    <message>
        <source>Every rank holds all layers, so no rank waits for another stage.</source>
        <translation>每个 rank 都持有所有层，因此没有 rank 等待其他阶段。</translation>
    </message>
    <message>
        <source>No pipeline, no bubble</source>
        <translation>没有流水线，就没有气泡</translation>
    </message>
    <message>
        <source>%1 of the step is bubble, though there is no pipeline</source>
        <translation>虽然没有流水线，一步中气泡仍占 %1</translation>
    </message>
    <message>
        <source>p = %1, v = %2 and m = %3</source>
        <translation>p = %1、v = %2、m = %3</translation>
    </message>
    <message>
        <source>p = %1 and m = %2</source>
        <translation>p = %1、m = %2</translation>
    </message>
    <message>
        <source>%1: with %2 it is %3, %4.</source>
        <translation>%1：当 %2 时为 %3，即 %4。</translation>
    </message>
    <message>
        <source> With %1 microbatches it would be %2.</source>
        <translation>如果有 %1 个微批次，则为 %2。</translation>
    </message>
    <message>
        <source> Ranks wait for activations on their way to the host and back, too.</source>
        <translation>各 rank 还要等待激活值往返于主机。</translation>
    </message>
    <message>
        <source>Its largest part is %1 with %2.</source>
        <translation>其中最大的部分是%1，为 %2。</translation>
    </message>
    <message>
        <source> It keeps the activations of 1 microbatch until its backward.</source>
        <translation>它保留 1 个微批次的激活值，直到其反向。</translation>
    </message>
    <message>
        <source> It keeps the activations of %1 microbatches until their backwards.</source>
        <translation>它保留 %1 个微批次的激活值，直到它们的反向。</translation>
    </message>
    <message>
        <source>it cannot stand here</source>
        <translation>它不能放在这里</translation>
    </message>
    <message>
        <source>its stage lies on another pipeline rank</source>
        <translation>它的阶段位于另一个流水线 rank</translation>
    </message>
    <message>
        <source>there is no such stage</source>
        <translation>没有这个阶段</translation>
    </message>
    <message>
        <source>a stage of this pipeline rank</source>
        <translation>此流水线 rank 的一个阶段</translation>
    </message>
    <message>
        <source>Schedules (*.csv);;All files (*)</source>
        <translation>调度 (*.csv);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>布局</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>Sliders</source>
        <translation>滑块</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>答案</translation>
    </message>
    <message>
        <source>Order</source>
        <translation>顺序</translation>
    </message>
    <message>
        <source>Candidates</source>
        <translation>候选</translation>
    </message>
    <message>
        <source>Schedules</source>
        <translation>调度</translation>
    </message>
    <message>
        <source>Evidence</source>
        <translation>实证</translation>
    </message>
    <message>
        <source>Traffic</source>
        <translation>流量</translation>
    </message>
    <message>
        <source>Traffic matrix</source>
        <translation>流量矩阵</translation>
    </message>
    <message>
        <source>Mesh</source>
        <translation>网格</translation>
    </message>
    <message>
        <source>Lesson</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Memory over time</source>
        <translation>内存随时间变化</translation>
    </message>
    <message>
        <source>Memory per rank</source>
        <translation>各 rank 内存</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活值</translation>
    </message>
    <message>
        <source>Kernels</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>Waterfall</source>
        <translation>瀑布图</translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation>损失缩放</translation>
    </message>
    <message>
        <source>Scales</source>
        <translation>缩放因子</translation>
    </message>
    <message>
        <source>Exchange</source>
        <translation>交换</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>Area</source>
        <translation>区域</translation>
    </message>
    <message>
        <source>Query</source>
        <translation>查询</translation>
    </message>
    <message>
        <source>Selected</source>
        <translation>所选动作</translation>
    </message>
    <message>
        <source>Notes on the run</source>
        <translation>运行备注</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>only in Design, whose changes it is for</source>
        <translation>仅在“设计”中可用，针对其中的更改</translation>
    </message>
    <message>
        <source>this machine is being measured</source>
        <translation>正在测量本机</translation>
    </message>
    <message>
        <source>a run is under way: stop it first</source>
        <translation>有一个运行正在进行：请先停止它</translation>
    </message>
    <message>
        <source>a run is being watched: disconnect first</source>
        <translation>正在观看一个运行：请先断开连接</translation>
    </message>
    <message>
        <source>no run is under way</source>
        <translation>没有正在进行的运行</translation>
    </message>
    <message>
        <source>only in Run (Ctrl+2)</source>
        <translation>仅在“运行”中可用（Ctrl+2）</translation>
    </message>
    <message>
        <source>the run is starting or ending</source>
        <translation>运行正在启动或结束</translation>
    </message>
    <message>
        <source>only for an elastic run that is not at its limit (Fewest replicas, in Design)</source>
        <translation>仅适用于未到极限的弹性运行（“设计”中的“最少副本数”）</translation>
    </message>
    <message>
        <source>no rank is selected: click one in the timeline or the mesh</source>
        <translation>未选择 rank：请在时间线或网格中单击一个</translation>
    </message>
    <message>
        <source>no run is open in Replay (Ctrl+O)</source>
        <translation>“回放”中没有打开的运行（Ctrl+O）</translation>
    </message>
    <message>
        <source>the opened run has no prediction</source>
        <translation>已打开的运行没有预测</translation>
    </message>
    <message>
        <source>the home page has no timeline</source>
        <translation>主页没有时间线</translation>
    </message>
    <message>
        <source>no search has found an event: press / first</source>
        <translation>没有搜索到事件：请先按 /</translation>
    </message>
    <message>
        <source>nothing was changed</source>
        <translation>没有更改</translation>
    </message>
    <message>
        <source>nothing was taken back</source>
        <translation>没有撤销过</translation>
    </message>
    <message>
        <source>the run is ending already</source>
        <translation>运行已在结束</translation>
    </message>
    <message>
        <source>no run of another machine is being watched</source>
        <translation>没有在观看另一台机器的运行</translation>
    </message>
    <message>
        <source>nothing is being compared</source>
        <translation>没有在比较</translation>
    </message>
    <message>
        <source>nothing is being read or imported</source>
        <translation>没有在读取或导入</translation>
    </message>
    <message>
        <source>traces are being imported</source>
        <translation>正在导入 trace</translation>
    </message>
    <message>
        <source>there is no run here to write a note on</source>
        <translation>这里没有可写备注的运行</translation>
    </message>
    <message>
        <source>only in Run and Replay: notes belong to a run</source>
        <translation>仅在“运行”和“回放”中可用：备注属于某个运行</translation>
    </message>
    <message>
        <source>the home page has no views</source>
        <translation>主页没有视图</translation>
    </message>
    <message>
        <source>not possible now</source>
        <translation>现在不可用</translation>
    </message>
    <message>
        <source>Copy this row</source>
        <translation>复制此行</translation>
    </message>
    <message>
        <source>Copy “%1”</source>
        <translation>复制“%1”</translation>
    </message>
    <message>
        <source>Show all views again</source>
        <translation>重新显示所有视图</translation>
    </message>
    <message>
        <source>Layouts (*.layout.json *.json)</source>
        <translation>布局 (*.layout.json *.json)</translation>
    </message>
    <message>
        <source>1 host</source>
        <translation>1 台主机</translation>
    </message>
    <message>
        <source>%1 hosts</source>
        <translation>%1 台主机</translation>
    </message>
    <message>
        <source>paced as %1</source>
        <translation>按 %1 定速</translation>
    </message>
    <message>
        <source>Export for</source>
        <translation>导出给</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>an action (3F7, F7, 3B), a kind (wait, send forward, optimizer), rank 0-3, a place (pp1), step 12, stage 2, mb 7, a lane (comm), &gt; 5 ms</source>
        <translation>动作（3F7、F7、3B）、类别（wait、send forward、optimizer）、rank 0-3、位置（pp1）、step 12、stage 2、mb 7、通道（comm）、&gt; 5 ms</translation>
    </message>
    <message>
        <source>the search is empty</source>
        <translation>搜索内容为空</translation>
    </message>
    <message>
        <source>no event, kind or place has this name</source>
        <translation>没有这个名称的事件、类别或位置</translation>
    </message>
    <message>
        <source>even</source>
        <translation>均分</translation>
    </message>
    <message>
        <source>Present the lesson</source>
        <translation>演示课程</translation>
    </message>
    <message>
        <source>Show the lesson that is read in Learn on the whole screen, one idea at a time, in large letters</source>
        <translation>把“学习”中正在阅读的课程全屏显示，一次一个概念，用大号字</translation>
    </message>
    <message>
        <source>Save the lesson as a handout …</source>
        <translation>把课程保存为讲义……</translation>
    </message>
    <message>
        <source>Write the lesson that is read in Learn as a PDF or HTML, with its questions and what was measured</source>
        <translation>把“学习”中正在阅读的课程写成 PDF 或 HTML，附上问题和测得的数字</translation>
    </message>
    <message>
        <source>The images that one device trains on in an hour: those of a step, divided by the hours of all devices that took part in it.</source>
        <translation>一个设备一小时训练的图像数：一步的图像数除以参与其中的所有设备的小时数。</translation>
    </message>
    <message>
        <source>The tokens that one device trains on in an hour: those of a step, divided by the hours of all devices that took part in it.</source>
        <translation>一个设备一小时训练的 token 数：一步的 token 数除以参与其中的所有设备的小时数。</translation>
    </message>
    <message>
        <source>Inside</source>
        <translation>内部</translation>
    </message>
    <message>
        <source>only in Learn (Ctrl+4)</source>
        <translation>只在“学习”中可用（Ctrl+4）</translation>
    </message>
    <message>
        <source>Copy what stands here</source>
        <translation>复制这里的内容</translation>
    </message>
    <message>
        <source>Layouts, runs, traces and other trainers&apos; files (*.layout.json *.json *.json.gz *.shardlab *.sqlite *.pickle *.pkl *_rank_* *.log *.out *.txt *.sh *.sbatch *.toml);;All files (*)</source>
        <translation>布局、运行、追踪和其他训练框架的文件 (*.layout.json *.json *.json.gz *.shardlab *.sqlite *.pickle *.pkl *_rank_* *.log *.out *.txt *.sh *.sbatch *.toml);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Traces, dumps and logs (*.json *.json.gz *.sqlite *.pickle *.pkl *_rank_* *.log *.out *.txt);;All files (*)</source>
        <translation>追踪、转储和日志 (*.json *.json.gz *.sqlite *.pickle *.pkl *_rank_* *.log *.out *.txt);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Where to begin: presets, recent files, lessons, or a plan for a cluster.</source>
        <translation>从哪里开始：预设、最近的文件、课程，或为集群做规划。</translation>
    </message>
    <message>
        <source>Every field of the layout, by section. What is wrong stands at its field.</source>
        <translation>布局的全部字段，按部分排列；有错之处就标在字段旁。</translation>
    </message>
    <message>
        <source>What the predicted figures follow from, the largest loss first, and what would be quicker.</source>
        <translation>预测数字从何而来，损失最大的排在最前，并说明怎样会更快。</translation>
    </message>
    <message>
        <source>The choices that shape the schedule, as sliders through their legal values.</source>
        <translation>决定调度形状的选择，用滑块在合法值之间移动。</translation>
    </message>
    <message>
        <source>Whether the layout fits, and how fast it trains.</source>
        <translation>布局能否放下，训练有多快。</translation>
    </message>
    <message>
        <source>The order of forwards and backwards on each pipeline rank. It can be edited by hand.</source>
        <translation>每个流水线 rank 上前向与反向的次序，可以手工修改。</translation>
    </message>
    <message>
        <source>Legal layouts of the same model on the same devices, ranked by predicted step time.</source>
        <translation>同一模型在同样设备上的合法布局，按预测步时间排序。</translation>
    </message>
    <message>
        <source>This layout under every schedule, side by side.</source>
        <translation>此布局在各种调度下的并排比较。</translation>
    </message>
    <message>
        <source>Predicted against published figures of real runs, a point a run.</source>
        <translation>真实运行的预测值与公布值对照，每次运行一个点。</translation>
    </message>
    <message>
        <source>Bytes that cross each axis of the mesh in one step.</source>
        <translation>一步之中跨越网格每条轴的字节数。</translation>
    </message>
    <message>
        <source>Bytes that each rank sends to each other rank in one step.</source>
        <translation>一步之中每个 rank 发给其他每个 rank 的字节数。</translation>
    </message>
    <message>
        <source>Which rank holds which layers, and how busy it is, grouped by host.</source>
        <translation>哪个 rank 持有哪些层、有多忙，按主机分组。</translation>
    </message>
    <message>
        <source>A lesson: guess, run an experiment, and see what came out.</source>
        <translation>一节课程：先猜，再做实验，然后看结果。</translation>
    </message>
    <message>
        <source>Goes through a recorded run, forwards and backwards.</source>
        <translation>在录下的运行中前后移动。</translation>
    </message>
    <message>
        <source>The figures of the step in sight, each with what was predicted.</source>
        <translation>所看这一步的数字，各附预测值。</translation>
    </message>
    <message>
        <source>What each rank does over time: a bar an action, numbered by microbatch.</source>
        <translation>每个 rank 随时间做什么：一条代表一个动作，数字是微批次。</translation>
    </message>
    <message>
        <source>The run beside its prediction or another run, on one time scale.</source>
        <translation>此运行与其预测或另一次运行在同一时间尺度上并列。</translation>
    </message>
    <message>
        <source>What one rank holds in memory over time, by category.</source>
        <translation>一个 rank 的内存随时间的变化，按类别划分。</translation>
    </message>
    <message>
        <source>The most memory that each rank holds, by category.</source>
        <translation>每个 rank 的内存峰值，按类别划分。</translation>
    </message>
    <message>
        <source>The actions on which the length of a step depends: nothing else shortens it.</source>
        <translation>决定一步长度的那些动作：缩短别的都无济于事。</translation>
    </message>
    <message>
        <source>What the selected action is made of: layers, operations, exchanges.</source>
        <translation>所选动作由什么组成：层、操作、交换。</translation>
    </message>
    <message>
        <source>What is kept of a microbatch until its backward, by layer and operation.</source>
        <translation>一个微批次到其反向为止保留的内容，按层和操作列出。</translation>
    </message>
    <message>
        <source>Where a step&apos;s time goes on this machine, kernel by kernel, as it was measured.</source>
        <translation>按测量结果，一步的时间在这台机器上逐个内核花在何处。</translation>
    </message>
    <message>
        <source>From the time at the device&apos;s peak to the whole step: what each loss adds.</source>
        <translation>从设备峰值所需的时间到整步：每项损失增加多少。</translation>
    </message>
    <message>
        <source>Loss of training and validation, and the learning rate, step by step.</source>
        <translation>训练与验证的损失及学习率，逐步显示。</translation>
    </message>
    <message>
        <source>The loss scale, with overflows and skipped steps.</source>
        <translation>损失缩放，以及溢出和跳过的步。</translation>
    </message>
    <message>
        <source>Scales and saturated values of products in 8 bits.</source>
        <translation>8 位乘积的缩放因子与饱和值。</translation>
    </message>
    <message>
        <source>How replicas differ where they do not exchange gradients in each step: staleness, drift, overwritten updates.</source>
        <translation>副本不在每步交换梯度时彼此有何不同：陈旧度、偏离、被覆盖的更新。</translation>
    </message>
    <message>
        <source>How many gradients lie at each power of two, against the range of the number format.</source>
        <translation>各个二次幂处有多少梯度，与数值格式的范围对照。</translation>
    </message>
    <message>
        <source>How many tokens ask for each expert, and how many it drops.</source>
        <translation>有多少 token 请求每个专家，又有多少被丢弃。</translation>
    </message>
    <message>
        <source>What happened in a dragged area of the timeline, summed by kind and by rank.</source>
        <translation>时间线上拖选区域内发生的事，按种类和 rank 汇总。</translation>
    </message>
    <message>
        <source>SQL over the recorded run.</source>
        <translation>对录下的运行执行 SQL 查询。</translation>
    </message>
    <message>
        <source>The selected action: its times, what it waited for, what waited for it.</source>
        <translation>所选动作：它的时间、它等待了什么、什么在等待它。</translation>
    </message>
    <message>
        <source>Notes that you write at moments of the run; they are kept in its file.</source>
        <translation>你在运行的各个时刻写下的注记，保存在它的文件里。</translation>
    </message>
    <message>
        <source>What happened, newest first: overflows, validation, checkpoints, failures.</source>
        <translation>发生了什么，最新的在最前：溢出、验证、检查点、故障。</translation>
    </message>
    <message>
        <source>Export for Megatron-Bridge …</source>
        <translation>导出给 Megatron-Bridge…</translation>
    </message>
    <message>
        <source>Show the layout in Design as a recipe of Megatron-Bridge, and save it</source>
        <translation>把“设计”中的布局显示为 Megatron-Bridge 的配方并保存</translation>
    </message>
    <message>
        <source>Export for NeMo …</source>
        <translation>导出给 NeMo…</translation>
    </message>
    <message>
        <source>Show the layout in Design as a recipe of NeMo, and save it</source>
        <translation>把“设计”中的布局显示为 NeMo 的配方并保存</translation>
    </message>
    <message>
        <source>Counters</source>
        <translation>计数器</translation>
    </message>
    <message>
        <source>Numbers that the program recorded, a chart a counter, on the timeline&apos;s stretch of time.</source>
        <translation>程序所记录的数，每个计数器一张图，画在时间线的那段时间上。</translation>
    </message>
    <message>
        <source>Legal: %1</source>
        <translation>合法取值：%1</translation>
    </message>
    <message>
        <source>%1. Legal: %2</source>
        <translation>%1。合法取值：%2</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>waiting for what moves between ranks or between a rank and its host</source>
        <translation>等待在 rank 之间或 rank 与其主机之间移动的数据</translation>
    </message>
    <message>
        <source>Rank %1 needs the most memory, %2</source>
        <translation>Rank %1 需要内存最多，为 %2</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
    <message>
        <source>, ends count as layers</source>
        <translation>，首尾算作层</translation>
    </message>
    <message>
        <source>As the program told it for this step.</source>
        <translation>由程序为这一步给出。</translation>
    </message>
    <message>
        <source>%1
0: %2.</source>
        <translation>%1
0：%2。</translation>
    </message>
    <message>
        <source>%1/h</source>
        <translation>%1/小时</translation>
    </message>
    <message>
        <source>Images/device</source>
        <translation>图像/设备</translation>
    </message>
    <message>
        <source>Tokens/device</source>
        <translation>token/设备</translation>
    </message>
    <message>
        <source> It keeps the activations of %1 forwards, each of a microbatch in one of its %2 chunks, until their backwards.</source>
        <translation>它保留 %1 次前向的激活值，每次是一个微批次经过其 %2 个模型块之一，直到它们的反向。</translation>
    </message>
    <message>
        <source>%1
Empty: %2.</source>
        <translation>%1
空：%2。</translation>
    </message>
    <message>
        <source>stopped on request</source>
        <translation>按要求停止</translation>
    </message>
    <message>
        <source>killed on request</source>
        <translation>按要求强行终止</translation>
    </message>
    <message>
        <source>ended with the run</source>
        <translation>随运行一起结束</translation>
    </message>
    <message>
        <source>never started</source>
        <translation>从未启动</translation>
    </message>
    <message>
        <source>aborted</source>
        <translation>异常中止</translation>
    </message>
    <message>
        <source>died</source>
        <translation>意外终止</translation>
    </message>
    <message>
        <source>hung</source>
        <translation>停滞不动</translation>
    </message>
    <message>
        <source>the beginning</source>
        <translation>起点</translation>
    </message>
    <message>
        <source>%1 tokens of text: %2 windows to train on, %3 to validate on</source>
        <translation>文本共 %1 个 token：%2 个窗口用于训练，%3 个用于验证</translation>
    </message>
    <message>
        <source>goes on from step %1: %2</source>
        <translation>从第 %1 步继续：%2</translation>
    </message>
    <message>
        <source>checkpoint of step %1: %2</source>
        <translation>第 %1 步的检查点：%2</translation>
    </message>
    <message>
        <source>no checkpoint of step %1: %2</source>
        <translation>第 %1 步没有检查点：%2</translation>
    </message>
    <message>
        <source>the one checkpoint, of step %1, could not be taken: %2</source>
        <translation>唯一一个检查点（第 %1 步）未能写下：%2</translation>
    </message>
    <message>
        <source>none of %1 checkpoints could be taken; the last, of step %2: %3</source>
        <translation>%1 个检查点均未能写下；最后一个在第 %2 步：%3</translation>
    </message>
    <message>
        <source>%1 of %2 checkpoints could not be taken, the newest is of step %3; the last that failed, of step %4: %5</source>
        <translation>%2 个检查点中有 %1 个未能写下，最新的一个在第 %3 步；最后一次失败在第 %4 步：%5</translation>
    </message>
    <message>
        <source>no checkpoint is taken: %1</source>
        <translation>不写检查点：%1</translation>
    </message>
    <message>
        <source>%1: this run can take no checkpoint</source>
        <translation>%1：此次运行不能写检查点</translation>
    </message>
    <message>
        <source>passed over: %1</source>
        <translation>已跳过：%1</translation>
    </message>
    <message>
        <source>resized: on from step %1 with %2 instead of %3, %4</source>
        <translation>已调整规模：从第 %1 步继续，使用 %2，此前为 %3，来自 %4</translation>
    </message>
    <message>
        <source>restart %1 of %2: on from step %3 with %4 instead of %5, %6</source>
        <translation>第 %1 次重启（最多 %2 次）：从第 %3 步继续，使用 %4，此前为 %5，来自 %6</translation>
    </message>
    <message>
        <source>restart %1 of %2: on from step %3 with %4, %5</source>
        <translation>第 %1 次重启（最多 %2 次）：从第 %3 步继续，使用 %4，来自 %5</translation>
    </message>
    <message>
        <source>restart %1 of %2: on from step %3, %4</source>
        <translation>第 %1 次重启（最多 %2 次）：从第 %3 步继续，来自 %4</translation>
    </message>
    <message>
        <source>absent from step %1</source>
        <translation>自第 %1 步起缺席</translation>
    </message>
    <message>
        <source>messages about waiting ranks number them among the %1 that take part</source>
        <translation>关于等待的消息按参与的 %1 个 rank 编号</translation>
    </message>
    <message>
        <source>asked for: %1, but there is no such rank at the moment</source>
        <translation>要求：%1，但此刻没有这个 rank</translation>
    </message>
    <message>
        <source>asked for: %1, while the ranks are %2: nothing was done</source>
        <translation>要求：%1，但各 rank 处于 %2：未执行</translation>
    </message>
    <message>
        <source>asked for %1, which it has</source>
        <translation>要求 %1，已是如此</translation>
    </message>
    <message>
        <source>asked for %1: the run stops for a checkpoint</source>
        <translation>要求 %1：运行为写检查点而停下</translation>
    </message>
    <message>
        <source>not resized, as no checkpoint can be taken: %1</source>
        <translation>未调整规模，因为不能写检查点：%1</translation>
    </message>
    <message>
        <source>not resized to %1: %2</source>
        <translation>未调整为 %1：%2</translation>
    </message>
    <message>
        <source>1 replica (%1)</source>
        <translation>1 个副本（%1）</translation>
    </message>
    <message>
        <source>%1 replicas (%2)</source>
        <translation>%1 个副本（%2）</translation>
    </message>
    <message>
        <source>on purpose, as /run/faults says: %1</source>
        <translation>按 /run/faults 有意为之：%1</translation>
    </message>
    <message>
        <source>on purpose, as it was asked for: %1</source>
        <translation>按要求有意为之：%1</translation>
    </message>
    <message>
        <source>mpirun (process %1) is stopped by a signal, and ranks cannot start before it goes on; kill -CONT %2 lets it go on</source>
        <translation>mpirun（进程 %1）被信号暂停，在它继续之前各 rank 无法启动；kill -CONT %2 可让它继续</translation>
    </message>
    <message>
        <source>mpirun (process %1) is stopped by a signal; kill -CONT %2 lets it go on</source>
        <translation>mpirun（进程 %1）被信号暂停；kill -CONT %2 可让它继续</translation>
    </message>
    <message>
        <source>a rank (process %1) is stopped by a signal; kill -CONT %2 lets it go on</source>
        <translation>一个 rank（进程 %1）被信号暂停；kill -CONT %2 可让它继续</translation>
    </message>
    <message>
        <source>hangs: the run is ended</source>
        <translation>停滞不动：运行被结束</translation>
    </message>
    <message>
        <source>ending mpirun: %1</source>
        <translation>正在结束 mpirun：%1</translation>
    </message>
    <message>
        <source>a rank failed</source>
        <translation>一个 rank 失败</translation>
    </message>
    <message>
        <source>a rank hangs</source>
        <translation>一个 rank 停滞不动</translation>
    </message>
    <message>
        <source>a host is cut off</source>
        <translation>一台主机失去连接</translation>
    </message>
    <message>
        <source>stopped while ranks were starting</source>
        <translation>在各 rank 启动期间被停止</translation>
    </message>
    <message>
        <source>the launcher is closing</source>
        <translation>启动程序正在关闭</translation>
    </message>
    <message>
        <source>mpirun does not end though all ranks have</source>
        <translation>所有 rank 均已结束，mpirun 却没有结束</translation>
    </message>
    <message>
        <source>the run file cannot be written</source>
        <translation>无法写入运行文件</translation>
    </message>
    <message>
        <source>it has told of a rank&apos;s death and goes on</source>
        <translation>它报告了一个 rank 的终止，却仍在继续</translation>
    </message>
    <message>
        <source>all hosts have %1 besides TCP: Open MPI chooses how ranks exchange</source>
        <translation>除 TCP 外，所有主机都有 %1：由 Open MPI 选择 rank 之间的交换方式</translation>
    </message>
    <message>
        <source>waits at step %1 in %2 for ranks %3</source>
        <translation>在第 %1 步的 %2 中等待 rank %3</translation>
    </message>
    <message>
        <source>waits at step %1 in %2 for rank %3</source>
        <translation>在第 %1 步的 %2 中等待 rank %3</translation>
    </message>
    <message>
        <source>waits at step %1 %2 for ranks %3</source>
        <translation>在第 %1 步等待 rank %3（%2）</translation>
    </message>
    <message>
        <source>waits at step %1 %2 for rank %3</source>
        <translation>在第 %1 步等待 rank %3（%2）</translation>
    </message>
    <message>
        <source>mpirun lost its daemon on host %1, and with it the ranks there%2</source>
        <translation>mpirun 失去了主机 %1 上的守护进程，以及那里的各个 rank%2</translation>
    </message>
    <message>
        <source>mpirun was ended by a signal from outside (SIGTERM, SIGINT or SIGHUP)%1</source>
        <translation>mpirun 被外部信号（SIGTERM、SIGINT 或 SIGHUP）结束%1</translation>
    </message>
    <message>
        <source>mpirun was killed by %1</source>
        <translation>mpirun 被 %1 终止</translation>
    </message>
    <message>
        <source>mpirun failed (%1): %2</source>
        <translation>mpirun 失败（%1）：%2</translation>
    </message>
    <message>
        <source>mpirun failed (%1)</source>
        <translation>mpirun 失败（%1）</translation>
    </message>
    <message>
        <source>ranks ended without a word</source>
        <translation>各 rank 没有说明原因就结束了</translation>
    </message>
    <message>
        <source>a rank was killed by %1 while ranks were starting; mpirun does not say which</source>
        <translation>在各 rank 启动期间有一个 rank 被 %1 终止；mpirun 没有说明是哪一个</translation>
    </message>
    <message>
        <source>a rank was killed by %1; mpirun does not say which</source>
        <translation>有一个 rank 被 %1 终止；mpirun 没有说明是哪一个</translation>
    </message>
    <message>
        <source>%1 at step %2 in %3, waiting for rank %4</source>
        <translation>%1，在第 %2 步的 %3 中，正在等待 rank %4</translation>
    </message>
    <message>
        <source>%1 at step %2 in %3</source>
        <translation>%1，在第 %2 步的 %3 中</translation>
    </message>
    <message>
        <source>%1 at step %2</source>
        <translation>%1，在第 %2 步</translation>
    </message>
    <message>
        <source>%1 during setup</source>
        <translation>%1，在准备期间</translation>
    </message>
    <message>
        <source>%1 while starting</source>
        <translation>%1，在启动期间</translation>
    </message>
    <message>
        <source>rank %1 on host %2: %3</source>
        <translation>主机 %2 上的 rank %1：%3</translation>
    </message>
    <message>
        <source>rank %1 on host %2 was %3</source>
        <translation>主机 %2 上的 rank %1 %3</translation>
    </message>
    <message>
        <source>rank %1 on host %2 %3</source>
        <translation>主机 %2 上的 rank %1 %3</translation>
    </message>
    <message>
        <source>rank %1: %2</source>
        <translation>rank %1：%2</translation>
    </message>
    <message>
        <source>rank %1 was %2</source>
        <translation>rank %1 %2</translation>
    </message>
    <message>
        <source>rank %1 died</source>
        <translation>rank %1 意外终止</translation>
    </message>
    <message>
        <source>rank %1 ended with exit code %2</source>
        <translation>rank %1 结束，退出码 %2</translation>
    </message>
    <message>
        <source>killed by %1</source>
        <translation>被 %1 终止</translation>
    </message>
    <message>
        <source>ended with exit code %1</source>
        <translation>结束，退出码 %1</translation>
    </message>
    <message>
        <source>rank %1 · compute %2 a step, %3, %4</source>
        <translation>rank %1 · 计算每步 %2，%3，%4</translation>
    </message>
    <message>
        <source>rank %1 · wait, stands still %2 a step, %3, %4</source>
        <translation>rank %1 · 每步停滞等待 %2，%3，%4</translation>
    </message>
    <message>
        <source>rank %1 · link %2 a step, %3, %4</source>
        <translation>rank %1 · 链路每步 %2，%3，%4</translation>
    </message>
    <message>
        <source>%1 more than its like (%2)</source>
        <translation>比同类（%2）多 %1</translation>
    </message>
    <message>
        <source>its like none</source>
        <translation>同类则没有</translation>
    </message>
    <message>
        <source>steps %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>flight record: step %1: %2 from rank %3, %4, under way for %5</source>
        <translation>飞行记录：第 %1 步：%2，来自 rank %3，%4，已进行 %5</translation>
    </message>
    <message>
        <source>flight record: step %1: %2 from rank %3, %4, took %5</source>
        <translation>飞行记录：第 %1 步：%2，来自 rank %3，%4，用时 %5</translation>
    </message>
    <message>
        <source>flight record: step %1: %2 to rank %3, %4, under way for %5</source>
        <translation>飞行记录：第 %1 步：%2，发往 rank %3，%4，已进行 %5</translation>
    </message>
    <message>
        <source>flight record: step %1: %2 to rank %3, %4, took %5</source>
        <translation>飞行记录：第 %1 步：%2，发往 rank %3，%4，用时 %5</translation>
    </message>
    <message>
        <source>flight record: step %1: %2, under way for %3</source>
        <translation>飞行记录：第 %1 步：%2，已进行 %3</translation>
    </message>
    <message>
        <source>flight record: step %1: %2, took %3</source>
        <translation>飞行记录：第 %1 步：%2，用时 %3</translation>
    </message>
    <message>
        <source>%1, for %2 (deadline %3); %4</source>
        <translation>%1，已持续 %2（期限 %3）；%4</translation>
    </message>
    <message>
        <source>%1, for %2 (deadline %3)</source>
        <translation>%1，已持续 %2（期限 %3）</translation>
    </message>
    <message>
        <source>rank %1 stands still (stopped by a signal) %2</source>
        <translation>rank %1 停滞不动（被信号暂停），%2</translation>
    </message>
    <message>
        <source>rank %1 stands still %2</source>
        <translation>rank %1 停滞不动，%2</translation>
    </message>
    <message>
        <source>rank %1 has sent, but nobody got, %2 at step %3, rank %4 waits for it</source>
        <translation>rank %1 在第 %3 步发送了 %2，但无人收到，rank %4 正在等待它</translation>
    </message>
    <message>
        <source>rank %1 has not sent %2 at step %3, rank %4 waits for it</source>
        <translation>rank %1 在第 %3 步没有发送 %2，rank %4 正在等待它</translation>
    </message>
    <message>
        <source>rank %1 does not get on %2</source>
        <translation>rank %1 没有进展，%2</translation>
    </message>
    <message>
        <source>ranks wait for each other, rank %1 %2</source>
        <translation>各 rank 相互等待，rank %1 %2</translation>
    </message>
    <message>
        <source>and %1 more wait</source>
        <translation>另有 %1 个也在等待</translation>
    </message>
    <message>
        <source>at step %1 in %2, waiting for rank %3</source>
        <translation>在第 %1 步的 %2 中，正等待 rank %3</translation>
    </message>
    <message>
        <source>at step %1 in %2, %3</source>
        <translation>在第 %1 步的 %2 中，%3</translation>
    </message>
    <message>
        <source>at step %1 in %2</source>
        <translation>在第 %1 步的 %2 中</translation>
    </message>
    <message>
        <source>at step %1, %2</source>
        <translation>在第 %1 步，%2</translation>
    </message>
    <message>
        <source>at step %1</source>
        <translation>在第 %1 步</translation>
    </message>
    <message>
        <source>during setup</source>
        <translation>在准备期间</translation>
    </message>
    <message>
        <source>while starting</source>
        <translation>在启动期间</translation>
    </message>
    <message>
        <source>imported %1 events of 1 rank from %2, 1 step, %3</source>
        <translation>从 %2 导入了 1 个 rank 的 %1 个事件，1 步，%3</translation>
    </message>
    <message>
        <source>imported %1 events of 1 rank from %2, %3 steps, %4</source>
        <translation>从 %2 导入了 1 个 rank 的 %1 个事件，%3 步，%4</translation>
    </message>
    <message>
        <source>imported %1 events of %2 ranks from %3, 1 step, %4</source>
        <translation>从 %3 导入了 %2 个 rank 的 %1 个事件，1 步，%4</translation>
    </message>
    <message>
        <source>imported %1 events of %2 ranks from %3, %4 steps, %5</source>
        <translation>从 %3 导入了 %2 个 rank 的 %1 个事件，%4 步，%5</translation>
    </message>
    <message>
        <source>the traces name no stages (&quot;Forward 3&quot;): a rank&apos;s number stands for that of its stage, unless a layout is named</source>
        <translation>trace 没有标明阶段（如 Forward 3）：未指定布局时，以 rank 的编号充当其阶段的编号</translation>
    </message>
    <message>
        <source>the traces number no microbatches: they are counted in each step, which is right where a rank has one stage, unless a layout is named</source>
        <translation>trace 没有给微批次编号：未指定布局时，在每一步内依次计数；每个 rank 只有一个阶段时这是对的</translation>
    </message>
    <message>
        <source>%1 does not say which rank it is (no distributedInfo)</source>
        <translation>%1 没有说明自己是哪个 rank（没有 distributedInfo）</translation>
    </message>
    <message>
        <source>%1 tells no times: its entries are drawn 1 µs apart</source>
        <translation>%1 没有时间：其中各条目以 1 µs 的间隔画出</translation>
    </message>
    <message>
        <source>%1, device %2: peak %3 = %4, while %5 were reserved; in the end %6 are reserved, of which %7 are free, in blocks of at most %8</source>
        <translation>%1，设备 %2：峰值 %3 = %4，当时已预留 %5；最后预留 %6，其中 %7 空闲，最大的空闲块为 %8</translation>
    </message>
    <message>
        <source>%1, device %2: peak %3, while %4 were reserved; in the end %5 are reserved, of which %6 are free, in blocks of at most %7</source>
        <translation>%1，设备 %2：峰值 %3，当时已预留 %4；最后预留 %5，其中 %6 空闲，最大的空闲块为 %7</translation>
    </message>
    <message>
        <source>%1: a line stands for up to %2 steps; the step that is drawn has their mean</source>
        <translation>%1：一行最多代表 %2 步；画出的那一步取其平均值</translation>
    </message>
    <message>
        <source>%1: each step has the mean of the training that it is of, train_runtime over the steps of that</source>
        <translation>%1：每一步都取其所属训练的平均值，即 train_runtime 除以该训练的步数</translation>
    </message>
    <message>
        <source>%1: %2 times of ranks are left out, behind the first %3</source>
        <translation>%1：只保留前 %3 项各 rank 的计时，略去其后的 %2 项</translation>
    </message>
    <message>
        <source>%1: %2 lines name no step, and are left out</source>
        <translation>%1：%2 行没有写明步数，已略去</translation>
    </message>
    <message>
        <source>%1: %2 of %3 lines do not tell how long a step took</source>
        <translation>%1：%3 行中有 %2 行没有写明一步用了多久</translation>
    </message>
    <message>
        <source>%1: %2 of %3 lines are kept, at even distances</source>
        <translation>%1：按相等的间隔保留 %3 行中的 %2 行</translation>
    </message>
    <message>
        <source>%1 lists the program&apos;s arguments: shardlab layouts --from %2 makes a layout of them</source>
        <translation>%1 列出了程序的参数：shardlab layouts --from %2 可由此得到布局</translation>
    </message>
    <message>
        <source>left out: the %1 &quot;%2&quot; of %3, from %4 to %5 ns, and whatever else lies 146 years from its clock&apos;s zero</source>
        <translation>已略去：%3 的%1“%2”（%4 至 %5 ns），以及其他离时钟零点 146 年以外的内容</translation>
    </message>
    <message>
        <source>left out: a %1 of %2, from %3 to %4 ns, and whatever else lies 146 years from its clock&apos;s zero</source>
        <translation>已略去：%2 的一个%1（%3 至 %4 ns），以及其他离时钟零点 146 年以外的内容</translation>
    </message>
    <message>
        <source>not understood: %1 %2</source>
        <translation>未能理解：%1 个%2</translation>
    </message>
    <message>
        <source>events whose times are too large</source>
        <translation>时间过大的事件</translation>
    </message>
    <message>
        <source>things of more kinds than are told apart</source>
        <translation>种类过多、不再区分的条目</translation>
    </message>
    <message>
        <source>spans that end before they begin</source>
        <translation>结束早于开始的区间</translation>
    </message>
    <message>
        <source>spans whose times are too large</source>
        <translation>时间过大的区间</translation>
    </message>
    <message>
        <source>spans without a time or a duration</source>
        <translation>没有时间或时长的区间</translation>
    </message>
    <message>
        <source>spans of a kind that this version does not know</source>
        <translation>此版本不认识其种类的区间</translation>
    </message>
    <message>
        <source>spans whose action is none</source>
        <translation>没有动作的区间</translation>
    </message>
    <message>
        <source>spans that begin and never end (B without E)</source>
        <translation>开始后从未结束的区间（有 B 无 E）</translation>
    </message>
    <message>
        <source>asynchronous spans that begin and never end (b without e)</source>
        <translation>开始后从未结束的异步区间（有 b 无 e）</translation>
    </message>
    <message>
        <source>ends of spans that did not begin (E without B)</source>
        <translation>从未开始的区间的结束（有 E 无 B）</translation>
    </message>
    <message>
        <source>ends of asynchronous spans that did not begin (e without b)</source>
        <translation>从未开始的异步区间的结束（有 e 无 b）</translation>
    </message>
    <message>
        <source>entries of traceEvents that are no objects</source>
        <translation>traceEvents 中不是对象的条目</translation>
    </message>
    <message>
        <source>entries without a phase</source>
        <translation>没有 ph 字段的条目</translation>
    </message>
    <message>
        <source>without an action</source>
        <translation>没有动作</translation>
    </message>
    <message>
        <source>of other actions</source>
        <translation>其他动作</translation>
    </message>
    <message>
        <source>entries of the allocator: %1</source>
        <translation>分配器的条目：%1</translation>
    </message>
    <message>
        <source>events of phase &quot;%1&quot;</source>
        <translation>ph 为“%1”的事件</translation>
    </message>
    <message>
        <source>arrows between spans (flow events)</source>
        <translation>区间之间的箭头（流事件）</translation>
    </message>
    <message>
        <source>instants without a time</source>
        <translation>没有时间的瞬时事件</translation>
    </message>
    <message>
        <source>counters without a time</source>
        <translation>没有时间的计数器</translation>
    </message>
    <message>
        <source>memory events without &quot;Total Allocated&quot;</source>
        <translation>没有“Total Allocated”的内存事件</translation>
    </message>
    <message>
        <source>NVTX ranges that never end</source>
        <translation>从未结束的 NVTX 区间</translation>
    </message>
    <message>
        <source>NVTX events of type %1</source>
        <translation>类型为 %1 的 NVTX 事件</translation>
    </message>
    <message>
        <source>rows of the table %1</source>
        <translation>表 %1 的行</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>Record operations</source>
        <translation>记录运算</translation>
    </message>
    <message>
        <source>Record in every tenth step of runs that start from now on, and are not paced, the operations within each action</source>
        <translation>对此后开始的、不是定速的运行，每第十步记录每个动作内部的运算</translation>
    </message>
    <message>
        <source> · %1FLOP/s</source>
        <translation> · %1FLOP/s</translation>
    </message>
    <message>
        <source>Export for torchtitan 0.3 …</source>
        <translation>导出给 torchtitan 0.3…</translation>
    </message>
    <message>
        <source>Show the layout in Design as a Python module for torchtitan 0.3, and save it</source>
        <translation>把“设计”中的布局显示为 torchtitan 0.3 的 Python 模块并保存</translation>
    </message>
    <message>
        <source>%1 of %2 ranks have not begun after %3: %4</source>
        <translation>%3后，%2 个 rank 中有 %1 个还没有开始：%4</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::ActivationsView</name>
    <message>
        <source>Activations</source>
        <translation>激活值</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>operation</source>
        <translation>运算</translation>
    </message>
    <message>
        <source>formula</source>
        <translation>公式</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>What is kept of a microbatch until its backward</source>
        <translation>一个微批次在反向之前保留的数据</translation>
    </message>
    <message>
        <source>each of layers %1–%2</source>
        <translation>第 %1–%2 层，每层</translation>
    </message>
    <message>
        <source>rank %1 · %2 a microbatch · at most %3 kept at once</source>
        <translation>rank %1 · 每个微批次 %2 · 同时最多保留 %3 个</translation>
    </message>
    <message>
        <source>The activations of a cnn are not listed by operation.</source>
        <translation>cnn 的激活值不按运算列出。</translation>
    </message>
    <message>
        <source>layers	operation	formula	bytes of each layer	bytes of all
</source>
        <translation>层	运算	公式	每层字节数	总字节数
</translation>
    </message>
    <message>
        <source>rank %1 · %2 a microbatch in all %3 chunks · at most %4 chunks kept at once</source>
        <translation>rank %1 · 每个微批次在全部 %3 个模型块中共 %2 · 至多同时保留 %4 个模型块的激活值</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::AnswerView</name>
    <message>
        <source>Whether the device of each rank holds what the rank needs: %1 of %2. Memory › Reserve says how much stays free.</source>
        <translation>各 rank 的设备能否容纳该 rank 所需的内存：需要 %1，共有 %2。“内存 › 预留”决定留出多少。</translation>
    </message>
    <message>
        <source>Fits?</source>
        <translation>放得下？</translation>
    </message>
    <message>
        <source>unknown capacity</source>
        <translation>容量未知</translation>
    </message>
    <message>
        <source>yes, %1 to spare</source>
        <translation>能，还剩 %1</translation>
    </message>
    <message>
        <source>no, %1 too much</source>
        <translation>不能，超出 %1</translation>
    </message>
    <message>
        <source>Evidence</source>
        <translation>实证</translation>
    </message>
    <message>
        <source>unreadable</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>%1. A band (±) behind a figure is where nine of ten of these runs lie around their predictions.</source>
        <translation>%1。数字后面的区间（±）表示这些运行中十有其九偏离预测的范围。</translation>
    </message>
    <message>
        <source>no run like it</source>
        <translation>没有类似的运行</translation>
    </message>
    <message>
        <source>1 published run</source>
        <translation>1 个公开发表的运行</translation>
    </message>
    <message>
        <source>%1 published runs</source>
        <translation>%1 个公开发表的运行</translation>
    </message>
    <message>
        <source>Whole run</source>
        <translation>整个训练</translation>
    </message>
    <message>
        <source>no answer</source>
        <translation>没有答案</translation>
    </message>
    <message>
        <source>%1 steps on %2 %3: %4 device hours; %5 without checkpoints and failures</source>
        <translation>%1 步，使用 %2 个 %3：%4 设备小时；不计检查点和故障为 %5</translation>
    </message>
    <message>
        <source>Cost</source>
        <translation>成本</translation>
    </message>
    <message>
        <source>Device hours × the price of one</source>
        <translation>设备小时 × 单价</translation>
    </message>
    <message>
        <source>Goodput</source>
        <translation>有效产出率</translation>
    </message>
    <message>
        <source>The work between two checkpoints</source>
        <translation>两个检查点之间的工作</translation>
    </message>
    <message>
        <source>%1. A failure comes every %2 on all devices together, %3 in the whole run; best is a checkpoint every %4</source>
        <translation>%1。所有设备合计每 %2 发生一次故障，整个训练 %3 次；最好每 %4 做一次检查点</translation>
    </message>
    <message>
        <source>Checkpoint every</source>
        <translation>检查点间隔</translation>
    </message>
    <message>
        <source>Whole run …</source>
        <translation>整个训练…</translation>
    </message>
    <message>
        <source>How long training on so many tokens takes and what it costs, with devices that fail</source>
        <translation>用这么多 token 训练需要多久、花费多少，并考虑设备故障</translation>
    </message>
    <message>
        <source>, on %1</source>
        <translation>，设备为 %1</translation>
    </message>
    <message>
        <source>. A run is %1.</source>
        <translation>。一次运行为 %1。</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>步时间</translation>
    </message>
    <message>
        <source>The time of one optimizer step with all its microbatches%1</source>
        <translation>一个优化器步（含其所有微批次）的时间%1</translation>
    </message>
    <message>
        <source>The sum over all replicas%1</source>
        <translation>所有副本之和%1</translation>
    </message>
    <message>
        <source>MFU</source>
        <translation>MFU</translation>
    </message>
    <message>
        <source>Model FLOPs utilisation: the operations that the model needs, without those of recomputation, as a share of the peak of %1</source>
        <translation>模型 FLOPs 利用率：模型所需的运算量（不含重计算）占%1峰值的比例</translation>
    </message>
    <message>
        <source>the preset&apos;s devices</source>
        <translation>预设中的设备</translation>
    </message>
    <message>
        <source>Bubble</source>
        <translation>气泡</translation>
    </message>
    <message>
        <source>%1 (theory %2)</source>
        <translation>%1（理论 %2）</translation>
    </message>
    <message>
        <source>Exposed comm</source>
        <translation>暴露通信</translation>
    </message>
    <message>
        <source>The share of the step that would be saved if transfers and reductions took no time</source>
        <translation>如果传输和归约不花时间，一步可以节省的比例</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>内存峰值</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>The number of parameters of the whole model</source>
        <translation>整个模型的参数个数</translation>
    </message>
    <message>
        <source>What the tensors of the rank that needs most take at once; its device has %1</source>
        <translation>需要内存最多的 rank 的张量同时占用的内存；其设备有 %1</translation>
    </message>
    <message>
        <source>Images/s</source>
        <translation>图像/s</translation>
    </message>
    <message>
        <source>Tokens/s</source>
        <translation>Tokens/s</translation>
    </message>
    <message>
        <source>The share of the time between the first forward and the last backward in which the compute lanes are idle, also while they wait for transfers. The theory assumes equal stages and free transfers. The bubble of Waterfall is a share of the whole step, and leaves waiting for transfers to the exposed communication</source>
        <translation>从第一次前向到最后一次反向之间计算通道空闲的时间份额，等待传输的时间也算在内。理论值假定各阶段相等、传输不花时间。瀑布图的气泡占整个一步的份额，等待传输的时间归入未掩盖的通信</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::AreaView</name>
    <message>
        <source>Figures of the area</source>
        <translation>区域的指标</translation>
    </message>
    <message>
        <source>By kind</source>
        <translation>按类别</translation>
    </message>
    <message>
        <source>By rank</source>
        <translation>按 rank</translation>
    </message>
    <message>
        <source>By rank and kind</source>
        <translation>按 rank 和类别</translation>
    </message>
    <message>
        <source>Figures by</source>
        <translation>汇总方式</translation>
    </message>
    <message>
        <source>Choose what the figures are summed over</source>
        <translation>选择指标按什么汇总</translation>
    </message>
    <message>
        <source>count</source>
        <translation>次数</translation>
    </message>
    <message>
        <source>total</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>p95</source>
        <translation>p95</translation>
    </message>
    <message>
        <source>largest</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>The share of the area&apos;s time on its ranks. Lanes work at the same time, so shares may add up to more than 100 %</source>
        <translation>占该区域内各 rank 时间的比例。各通道同时工作，因此占比之和可能超过 100 %</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>counting …</source>
        <translation>正在统计…</translation>
    </message>
    <message>
        <source>only the part of a span that lies in the area counts</source>
        <translation>只计入区间落在该区域内的部分</translation>
    </message>
    <message>
        <source>Steps, validations and annotations consist of other spans and are left out. A span that lies within another one has a row of its own and is not part of a sum</source>
        <translation>步、验证和标注由其他区间组成，因此不列出。位于另一个区间之内的区间单独成行，不计入总和</translation>
    </message>
    <message>
        <source>all ranks</source>
        <translation>所有 rank</translation>
    </message>
    <message>
        <source>%1 ranks</source>
        <translation>%1 个 rank</translation>
    </message>
    <message>
        <source>Δt %1 · %2</source>
        <translation>Δt %1 · %2</translation>
    </message>
    <message>
        <source>No area is chosen.
Shift+drag over the timeline to choose an area on all ranks, Ctrl+drag to choose one on the ranks dragged over.</source>
        <translation>尚未选择区域。
在时间线上按住 Shift 拖动可选择所有 rank 上的一段，按住 Ctrl 拖动只选择拖过的 rank。</translation>
    </message>
    <message>
        <source>rank	kind	count	total s	mean s	p95 s	largest s	share
</source>
        <translation>rank	类别	次数	合计 s	平均 s	p95 s	最大 s	占比
</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::BooleanEditor</name>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::BytesEditor</name>
    <message>
        <source>a size such as 500 MB or 2 GiB</source>
        <translation>一个大小，例如 500 MB 或 2 GiB</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::CandidatePreview</name>
    <message>
        <source>Take this layout</source>
        <translation>采用此布局</translation>
    </message>
    <message>
        <source>The selected candidate</source>
        <translation>所选的候选</translation>
    </message>
    <message>
        <source>No candidate is selected</source>
        <translation>未选择候选</translation>
    </message>
    <message>
        <source>does not fit · %1</source>
        <translation>放不下 · %1</translation>
    </message>
    <message>
        <source>This candidate is the layout as it is now.</source>
        <translation>这个候选就是现在的布局。</translation>
    </message>
    <message>
        <source>Would set: %1.</source>
        <translation>将设置：%1。</translation>
    </message>
    <message>
        <source> Does not fit: %1.</source>
        <translation>放不下：%1。</translation>
    </message>
    <message>
        <source>This candidate is the layout already.</source>
        <translation>这个候选已经是当前布局。</translation>
    </message>
    <message>
        <source>Makes this candidate the layout, in one step of undo (Enter, or a double click).</source>
        <translation>把这个候选设为布局，可一次撤销（回车或双击）。</translation>
    </message>
    <message>
        <source>Click one for its figures.</source>
        <translation>单击一个候选以查看其指标。</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::CandidatesModel</name>
    <message>
        <source>OOM %1</source>
        <translation>OOM %1</translation>
    </message>
    <message>
        <source>%1 · %2 · microbatch %3 (%4 a step)</source>
        <translation>%1 · %2 · 微批次 %3（每步 %4 个）</translation>
    </message>
    <message>
        <source>step %1 · %2 %3 · bubble %4 · peak %5</source>
        <translation>步时间 %1 · %2 %3 · 气泡 %4 · 峰值 %5</translation>
    </message>
    <message>
        <source>
Does not fit: %1</source>
        <translation>
放不下：%1</translation>
    </message>
    <message>
        <source>
On the Pareto front: no candidate that fits is faster with as little memory</source>
        <translation>
位于帕累托前沿：放得下的候选中，没有一个用同样少的内存而更快</translation>
    </message>
    <message>
        <source>
The step time is estimated from two shorter steps</source>
        <translation>
步时间由两个更短的步估算得出</translation>
    </message>
    <message>
        <source>
Within %1 of the fastest: published runs do not tell which of the first %2 is best</source>
        <translation>
与最快者相差在 %1 之内：公开发表的运行不足以判断前 %2 个中哪个最好</translation>
    </message>
    <message>
        <source>
This candidate is the present layout</source>
        <translation>
这个候选是当前布局</translation>
    </message>
    <message>
        <source>
A double click or Enter takes this candidate</source>
        <translation>
双击或回车采用这个候选</translation>
    </message>
    <message>
        <source>The degrees of data and of pipeline × chunks; other degrees stand with their names</source>
        <translation>数据并行度和流水线并行度 × 模型块数；其他并行度带名称列出</translation>
    </message>
    <message>
        <source>The throughput of the modelled devices, summed over all replicas</source>
        <translation>所建模设备的吞吐量，所有副本之和</translation>
    </message>
    <message>
        <source>The peak memory of the rank that needs most; its device has %1</source>
        <translation>需要内存最多的 rank 的内存峰值；其设备有 %1</translation>
    </message>
    <message>
        <source>DP·PP×v</source>
        <translation>DP·PP×v</translation>
    </message>
    <message>
        <source>schedule</source>
        <translation>调度</translation>
    </message>
    <message>
        <source>micro</source>
        <translation>微批</translation>
    </message>
    <message>
        <source>bubble</source>
        <translation>气泡</translation>
    </message>
    <message>
        <source>peak %1</source>
        <translation>峰值 %1</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::CandidatesPlot</name>
    <message>
        <source>Throughput against memory</source>
        <translation>吞吐量与内存</translation>
    </message>
    <message>
        <source>peak memory of a rank</source>
        <translation>单个 rank 的内存峰值</translation>
    </message>
    <message>
        <source>usable %1 </source>
        <translation>可用 %1 </translation>
    </message>
</context>
<context>
    <name>shardlab::ui::CandidatesView</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Candidates</source>
        <translation>候选</translation>
    </message>
    <message>
        <source>Layouts tried</source>
        <translation>已尝试的布局</translation>
    </message>
    <message>
        <source>Keep what was found so far</source>
        <translation>保留目前已找到的结果</translation>
    </message>
    <message>
        <source>filter: pp4 1f1b fits</source>
        <translation>筛选：pp4 1f1b fits</translation>
    </message>
    <message>
        <source>Show only these candidates</source>
        <translation>只显示这些候选</translation>
    </message>
    <message>
        <source>Show only candidates with all of these words: degrees, a schedule, fits or oom</source>
        <translation>只显示包含所有这些词的候选：并行度、调度、fits 或 oom</translation>
    </message>
    <message>
        <source>Candidates, best first</source>
        <translation>候选，最好的在前</translation>
    </message>
    <message>
        <source>the first %1 within ± %2</source>
        <translation>前 %1 个相差在 ± %2 之内</translation>
    </message>
    <message>
        <source>from the last legal layout</source>
        <translation>来自上一个合法布局</translation>
    </message>
    <message>
        <source>%1 of %2 layouts tried</source>
        <translation>已尝试 %1 个布局，共 %2 个</translation>
    </message>
    <message>
        <source>%1 tried in %2</source>
        <translation>用 %2 尝试了 %1 个</translation>
    </message>
    <message>
        <source>%1, cancelled</source>
        <translation>%1，已取消</translation>
    </message>
    <message>
        <source>%1 of %2 shown · %3</source>
        <translation>显示 %1 个，共 %2 个 · %3</translation>
    </message>
    <message>
        <source>Searching …</source>
        <translation>正在搜索…</translation>
    </message>
    <message>
        <source>No layout is legal for this model, cluster and batch.
%1</source>
        <translation>对这个模型、集群和批次，没有合法的布局。
%1</translation>
    </message>
    <message>
        <source>Which layout is best?
Press Plan for me (Ctrl+P) to try the legal ones.
Methods that save memory at the cost of time are tried where nothing faster fits.</source>
        <translation>哪个布局最好？
按“替我规划”（Ctrl+P）尝试所有合法的布局。
没有更快的布局放得下时，才尝试以时间换内存的方法。</translation>
    </message>
    <message>
        <source>layout	schedule	microbatch	step s	%1	bubble	peak bytes	fits	why not	within the band
</source>
        <translation>布局	调度	微批次	步时间 s	%1	气泡	峰值字节	放得下	原因	在误差带内
</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::ChapterList</name>
    <message>
        <source>Learn</source>
        <translation>学习</translation>
    </message>
    <message>
        <source>Lessons by chapter</source>
        <translation>按章节列出的课程</translation>
    </message>
    <message>
        <source>%1 of %2 lessons done</source>
        <translation>已完成 %1 课，共 %2 课</translation>
    </message>
    <message>
        <source>1 experiment</source>
        <translation>1 个实验</translation>
    </message>
    <message>
        <source>%1 experiments</source>
        <translation>%1 个实验</translation>
    </message>
    <message>
        <source>✓ done</source>
        <translation>✓ 已完成</translation>
    </message>
    <message>
        <source>%1 of %2 run</source>
        <translation>已运行 %1 个，共 %2 个</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::CheckpointList</name>
    <message>
        <source>, experts over %1</source>
        <translation>，专家分布于 %1</translation>
    </message>
    <message>
        <source>, ZeRO %1</source>
        <translation>，ZeRO %1</translation>
    </message>
    <message>
        <source>Checkpoints</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>steps done</source>
        <translation>已完成步数</translation>
    </message>
    <message>
        <source>written</source>
        <translation>写入时间</translation>
    </message>
    <message>
        <source>size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>trained by</source>
        <translation>训练来源</translation>
    </message>
    <message>
        <source>Checkpoints, the newest first</source>
        <translation>检查点，最新的在前</translation>
    </message>
    <message>
        <source>Other folder …</source>
        <translation>其他文件夹…</translation>
    </message>
    <message>
        <source>Show the checkpoints of another folder</source>
        <translation>显示另一个文件夹中的检查点</translation>
    </message>
    <message>
        <source>Check every byte</source>
        <translation>检查每个字节</translation>
    </message>
    <message>
        <source>Read the whole checkpoint and compare it with its checksums</source>
        <translation>读取整个检查点并与其校验和比对</translation>
    </message>
    <message>
        <source>Go on with its layout</source>
        <translation>用它的布局继续</translation>
    </message>
    <message>
        <source>Continue the training with the checkpoint&apos;s own layout</source>
        <translation>用检查点自己的布局继续训练</translation>
    </message>
    <message>
        <source>Go on with the layout in Design</source>
        <translation>用“设计”中的布局继续</translation>
    </message>
    <message>
        <source>Continue the training with the layout that stands in Design</source>
        <translation>用“设计”中当前的布局继续训练</translation>
    </message>
    <message>
        <source>This folder holds no checkpoint. A run takes a checkpoint on the command Checkpoint now, and by itself after every so many steps if its layout says so.</source>
        <translation>这个文件夹中没有检查点。执行“立即保存检查点”命令时会写检查点；如果布局有此设置，运行每隔若干步也会自动写检查点。</translation>
    </message>
    <message>
        <source>A run is under way: stop it before another one begins.</source>
        <translation>有一个运行正在进行：请先停止它，再开始另一个。</translation>
    </message>
    <message>
        <source>Cannot go on from this checkpoint</source>
        <translation>无法从这个检查点继续</translation>
    </message>
    <message>
        <source>Reading every byte …</source>
        <translation>正在读取每个字节…</translation>
    </message>
    <message>
        <source>All checksums are correct.</source>
        <translation>所有校验和都正确。</translation>
    </message>
    <message>
        <source>A folder of checkpoints</source>
        <translation>检查点文件夹</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::ClusterBar</name>
    <message>
        <source>Plan for me</source>
        <translation>替我规划</translation>
    </message>
    <message>
        <source>Plan for which cluster?</source>
        <translation>为哪个集群规划？</translation>
    </message>
    <message>
        <source>Train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>on</source>
        <translation>于</translation>
    </message>
    <message>
        <source>nodes ×</source>
        <translation>节点 ×</translation>
    </message>
    <message>
        <source>Open this model on this cluster in Design, and try every legal layout there</source>
        <translation>在“设计”中打开这个集群上的这个模型，并尝试所有合法的布局</translation>
    </message>
    <message>
        <source>Nodes</source>
        <translation>节点数</translation>
    </message>
    <message>
        <source>Devices of a node</source>
        <translation>每个节点的设备数</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>%1 (in Design)</source>
        <translation>%1（在“设计”中）</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::CommandPalette</name>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Find a command</source>
        <translation>查找命令</translation>
    </message>
    <message>
        <source>Commands found</source>
        <translation>找到的命令</translation>
    </message>
    <message>
        <source>not now: %1</source>
        <translation>现在不可用：%1</translation>
    </message>
    <message>
        <source>Not now: %1</source>
        <translation>现在不可用：%1</translation>
    </message>
    <message>
        <source>No command, preset, lesson or recent file has these words</source>
        <translation>没有命令、预设、课程或最近的文件含有这些词</translation>
    </message>
    <message>
        <source>Find a command, a preset, a lesson or a recent file</source>
        <translation>查找命令、预设、课程或最近的文件</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::CompareView</name>
    <message>
        <source>Prediction</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Another run …</source>
        <translation>另一个运行…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Choose which differences are listed</source>
        <translation>选择列出哪些差异</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Compare what was measured with what was predicted</source>
        <translation>把实测与预测作比较</translation>
    </message>
    <message>
        <source>Compare with the prediction</source>
        <translation>与预测比较</translation>
    </message>
    <message>
        <source>Choose another recorded run to compare with</source>
        <translation>选择另一个已记录的运行来比较</translation>
    </message>
    <message>
        <source>Compare with another run</source>
        <translation>与另一个运行比较</translation>
    </message>
    <message>
        <source>Stop comparing and put the comparison away</source>
        <translation>停止比较并收起比较视图</translation>
    </message>
    <message>
        <source>Stop comparing</source>
        <translation>停止比较</translation>
    </message>
    <message>
        <source>Timeline of the opened run</source>
        <translation>已打开的运行的时间线</translation>
    </message>
    <message>
        <source>Timeline of the other side of the comparison</source>
        <translation>比较另一侧的时间线</translation>
    </message>
    <message>
        <source>A · predicted, one step</source>
        <translation>A · 预测，一步</translation>
    </message>
    <message>
        <source>B · measured</source>
        <translation>B · 实测</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>comparing …</source>
        <translation>正在比较…</translation>
    </message>
    <message>
        <source>step %1 → %2 (%3) · bubble %4 → %5</source>
        <translation>步时间 %1 → %2（%3）· 气泡 %4 → %5</translation>
    </message>
    <message>
        <source>The medians of the compared steps, A → B</source>
        <translation>所比较各步的中位数，A → B</translation>
    </message>
    <message>
        <source>action</source>
        <translation>动作</translation>
    </message>
    <message>
        <source>Not aligned: </source>
        <translation>未对齐：</translation>
    </message>
    <message>
        <source>This run is not recorded in a file: there is nothing to compare.</source>
        <translation>这个运行没有记录到文件中：没有可比较的内容。</translation>
    </message>
    <message>
        <source>predicted (A) with measured (B)</source>
        <translation>预测（A）与实测（B）</translation>
    </message>
    <message>
        <source>%1 (A) with %2 (B)</source>
        <translation>%1（A）与 %2（B）</translation>
    </message>
    <message>
        <source>%1 · steps %2–%3 · %4 actions aligned</source>
        <translation>%1 · 第 %2–%3 步 · 对齐了 %4 个动作</translation>
    </message>
    <message>
        <source>part	what	A s	B s	difference s
</source>
        <translation>部分	内容	A s	B s	差异 s
</translation>
    </message>
    <message>
        <source>not aligned	%1			
</source>
        <translation>未对齐	%1			
</translation>
    </message>
    <message>
        <source>Nothing is compared: choose the prediction or another run.</source>
        <translation>尚未比较：请选择预测或另一个运行。</translation>
    </message>
    <message>
        <source>Nothing is compared: choose another run.</source>
        <translation>尚未比较：请选择另一个运行。</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::ComparisonModel</name>
    <message>
        <source>change</source>
        <translation>变化</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::ConnectPanel</name>
    <message>
        <source>Watched recently</source>
        <translation>最近观看</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Watch a run that another machine serves</source>
        <translation>观看另一台机器提供的运行</translation>
    </message>
    <message>
        <source>On the other machine, “shardlab run LAYOUT --serve 7000” prints the address and writes the token to a file. With HOST:7000 the run can be reached from here; else bring the port here with “ssh -L 7000:localhost:7000 HOST”, and connect to 7000.</source>
        <translation>在另一台机器上，“shardlab run LAYOUT --serve 7000”会打印地址并把令牌写入文件。写 HOST:7000 时，从这里就能到达那个运行；否则用“ssh -L 7000:localhost:7000 HOST”把端口转发到这里，再连接 7000。</translation>
    </message>
    <message>
        <source>[HOST:]PORT</source>
        <translation>[HOST:]PORT</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>the token, or the file that holds it</source>
        <translation>令牌，或者存放令牌的文件</translation>
    </message>
    <message>
        <source>Token, or the file that holds it</source>
        <translation>令牌，或者存放令牌的文件</translation>
    </message>
    <message>
        <source>File …</source>
        <translation>文件…</translation>
    </message>
    <message>
        <source>Choose the file with the token, or a copy of it</source>
        <translation>选择存放令牌的文件或其副本</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>令牌</translation>
    </message>
    <message>
        <source>the token is missing</source>
        <translation>缺少令牌</translation>
    </message>
    <message>
        <source>nobody can watch a run without its token</source>
        <translation>没有令牌就不能观看运行</translation>
    </message>
    <message>
        <source>The token that run --serve has printed</source>
        <translation>run --serve 打印的令牌</translation>
    </message>
    <message>
        <source>The file with the run&apos;s token</source>
        <translation>存放该运行令牌的文件</translation>
    </message>
    <message>
        <source>Tokens (*.token);;All files (*)</source>
        <translation>令牌 (*.token);;所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::CounterPlot</name>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>rank %1: %2</source>
        <translation>rank %1：%2</translation>
    </message>
    <message>
        <source>all: %1</source>
        <translation>全部：%1</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>least %1 on rank %2, most %3 on rank %4</source>
        <translation>最小 %1，在 rank %2；最大 %3，在 rank %4</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::CountersView</name>
    <message>
        <source>Counters</source>
        <translation>计数器</translation>
    </message>
    <message>
        <source>Names: learning, sms active</source>
        <translation>名称：learning, sms active</translation>
    </message>
    <message>
        <source>Counters that are shown</source>
        <translation>显示的计数器</translation>
    </message>
    <message>
        <source>Counters whose names have all of these words; commas divide several such choices.</source>
        <translation>名称包含所有这些词的计数器；几组这样的词用逗号分开。</translation>
    </message>
    <message>
        <source>Ranks: 0-3, dp0</source>
        <translation>rank：0-3, dp0</translation>
    </message>
    <message>
        <source>Ranks whose counters are shown</source>
        <translation>显示其计数器的 rank</translation>
    </message>
    <message>
        <source>Ranks by number, or by a word of their place. The line is the selected rank&apos;s, the band lies between the least and the most of all of them.</source>
        <translation>按编号，或按位置中的词选择 rank。线是选中的 rank 的，带子介于它们全体的最小值和最大值之间。</translation>
    </message>
    <message>
        <source>one counter</source>
        <translation>一个计数器</translation>
    </message>
    <message>
        <source>%1 counters</source>
        <translation>%1 个计数器</translation>
    </message>
    <message>
        <source>%1 of %2 counters</source>
        <translation>%1 个计数器，共 %2 个</translation>
    </message>
    <message>
        <source>The trace has no counters.</source>
        <translation>trace 里没有计数器。</translation>
    </message>
    <message>
        <source>This run ended before its first step was complete.</source>
        <translation>这个运行在完成第一步之前就结束了。</translation>
    </message>
    <message>
        <source>Counters appear with the first complete step.</source>
        <translation>计数器随第一个完整的步出现。</translation>
    </message>
    <message>
        <source>counter	rank	time ms	step	value
</source>
        <translation>计数器	rank	时间 ms	步	值
</translation>
    </message>
    <message>
        <source>…				more, zoom in or choose fewer to see them
</source>
        <translation>…				还有更多，放大或少选一些可见
</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::CriticalPathView</name>
    <message>
        <source>, %1 tensor collectives</source>
        <translation>，%1 张量集合通信</translation>
    </message>
    <message>
        <source>%1 compute%2, %3 communication</source>
        <translation>计算 %1%2，通信 %3</translation>
    </message>
    <message>
        <source>Show in the timeline</source>
        <translation>在时间线中显示</translation>
    </message>
    <message>
        <source>Critical path</source>
        <translation>关键路径</translation>
    </message>
    <message>
        <source>Draw the chain of actions that decides how long a step takes, as measured where it was (C)</source>
        <translation>画出决定一步耗时的那一串动作，有实测时用实测值（C）</translation>
    </message>
    <message>
        <source>could be %1 late</source>
        <translation>可推迟 %1</translation>
    </message>
    <message>
        <source>as long as the path</source>
        <translation>与路径同长</translation>
    </message>
    <message>
        <source>decided the step</source>
        <translation>决定了这一步</translation>
    </message>
    <message>
        <source>not on the path</source>
        <translation>不在路径上</translation>
    </message>
    <message>
        <source>%1. As predicted: %2.</source>
        <translation>%1。预测：%2。</translation>
    </message>
    <message>
        <source>decides the step</source>
        <translation>决定这一步</translation>
    </message>
    <message>
        <source>%1. Slack: how much longer this action could take before the step takes longer, if all other actions are as predicted.</source>
        <translation>%1。松弛时间：其他动作都如预测时，这个动作还能延长多少而不使这一步变长。</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Computing on the path, over all ranks</source>
        <translation>路径上的计算，所有 rank 合计</translation>
    </message>
    <message>
        <source>Tensor comm</source>
        <translation>张量通信</translation>
    </message>
    <message>
        <source>Exchanges within tensor groups during the actions on the path</source>
        <translation>路径上各动作期间张量组内的通信</translation>
    </message>
    <message>
        <source>Communication</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>Transfers and reductions on the path</source>
        <translation>路径上的传输和归约</translation>
    </message>
    <message>
        <source>Pipeline rank %1</source>
        <translation>流水线 rank %1</translation>
    </message>
    <message>
        <source>on path %1 · waits %2</source>
        <translation>路径上 %1 · 等待 %2</translation>
    </message>
    <message>
        <source>On the path: %1. In the step: %2 computing%3, %4 reducing, %5 waiting.</source>
        <translation>路径上：%1。一步之中：计算 %2%3，归约 %4，等待 %5。</translation>
    </message>
    <message>
        <source>, %1 in tensor collectives</source>
        <translation>，其中张量集合通信 %1</translation>
    </message>
    <message>
        <source>Computing on the path, over all ranks; predicted %1</source>
        <translation>路径上的计算，所有 rank 合计；预测 %1</translation>
    </message>
    <message>
        <source>Exchanges within tensor groups during the actions on the path, with the ranks&apos; wait for each other; predicted %1</source>
        <translation>路径上各动作期间张量组内的通信，包含各 rank 之间的等待；预测 %1</translation>
    </message>
    <message>
        <source>Transfers and reductions on the path; predicted %1</source>
        <translation>路径上的传输和归约；预测 %1</translation>
    </message>
    <message>
        <source>Between actions</source>
        <translation>动作之间</translation>
    </message>
    <message>
        <source>Time on the path during which no action of this pipeline ran: a rank began its next action late, or waited for another replica</source>
        <translation>路径上该流水线没有动作运行的时间：某个 rank 较晚才开始下一个动作，或者在等待另一个副本</translation>
    </message>
    <message>
        <source>on path %1</source>
        <translation>路径上 %1</translation>
    </message>
    <message>
        <source>%1. Predicted: %2.</source>
        <translation>%1。预测：%2。</translation>
    </message>
    <message>
        <source>step %1 · %2 actions, %3</source>
        <translation>第 %1 步 · %2 个动作，%3</translation>
    </message>
    <message>
        <source>predicted · %1 actions, %2</source>
        <translation>预测 · %1 个动作，%2</translation>
    </message>
    <message>
        <source>The critical path follows from a layout&apos;s schedule, which a trace does not record.</source>
        <translation>关键路径由布局的调度得出，而 trace 不记录调度。</translation>
    </message>
    <message>
        <source>pipeline rank	path: compute s	path: tensor collectives s	path: communication s	computing s	tensor collectives s	reducing s	waiting s
</source>
        <translation>流水线 rank	路径：计算 s	路径：张量集合通信 s	路径：通信 s	计算 s	张量集合通信 s	归约 s	等待 s
</translation>
    </message>
    <message>
        <source>
action	pipeline rank	begin s	lasts s
</source>
        <translation>
动作	流水线 rank	开始 s	持续 s
</translation>
    </message>
    <message>
        <source>step %1

pipeline rank	path: compute s	path: tensor collectives s	path: communication s	predicted: compute s	predicted: tensor collectives s	predicted: communication s
</source>
        <translation>第 %1 步

流水线 rank	路径：计算 s	路径：张量集合通信 s	路径：通信 s	预测：计算 s	预测：张量集合通信 s	预测：通信 s
</translation>
    </message>
    <message>
        <source>
action	pipeline rank	gap before s	begin s	lasts s
</source>
        <translation>
动作	流水线 rank	之前的空隙 s	开始 s	持续 s
</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::DockPanel</name>
    <message>
        <source>Menu of %1</source>
        <translation>%1的菜单</translation>
    </message>
    <message>
        <source>Copy, save, float or close this view</source>
        <translation>复制、保存、浮动或关闭此视图</translation>
    </message>
    <message>
        <source>planning …</source>
        <translation>正在规划…</translation>
    </message>
    <message>
        <source>from the last legal layout</source>
        <translation>来自上一个合法布局</translation>
    </message>
    <message>
        <source>Copy as table</source>
        <translation>复制为表格</translation>
    </message>
    <message>
        <source>Show as table …</source>
        <translation>显示为表格…</translation>
    </message>
    <message>
        <source>Copy as figure, in pixels</source>
        <translation>复制为位图</translation>
    </message>
    <message>
        <source>Copy as figure, in SVG</source>
        <translation>复制为 SVG 图</translation>
    </message>
    <message>
        <source>Save as figure …</source>
        <translation>保存为图…</translation>
    </message>
    <message>
        <source>In a window of its own</source>
        <translation>在独立窗口中</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Save a picture of %1</source>
        <translation>保存%1的图</translation>
    </message>
    <message>
        <source>SVG drawings (*.svg);;PDF drawings (*.pdf);;PNG pictures (*.png)</source>
        <translation>SVG 图 (*.svg);;PDF 图 (*.pdf);;PNG 图片 (*.png)</translation>
    </message>
    <message>
        <source>Views of this stack</source>
        <translation>这一叠视图</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::EarlierLosses</name>
    <message>
        <source>from step %1 of %2</source>
        <translation>从 %2 的第 %1 步</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::EventsView</name>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>Events, newest first</source>
        <translation>事件，最新的在前</translation>
    </message>
    <message>
        <source>filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Show only events with this text</source>
        <translation>只显示包含此文字的事件</translation>
    </message>
    <message>
        <source>Only warnings and errors</source>
        <translation>只看警告和错误</translation>
    </message>
    <message>
        <source>1 problem</source>
        <translation>1 个问题</translation>
    </message>
    <message>
        <source>%1 problems</source>
        <translation>%1 个问题</translation>
    </message>
    <message>
        <source>newest first</source>
        <translation>最新的在前</translation>
    </message>
    <message>
        <source>step	time s	rank	level	what
</source>
        <translation>步	时间 s	rank	级别	内容
</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::EvidenceModel</name>
    <message>
        <source>%1, from %2</source>
        <translation>%1，来自 %2</translation>
    </message>
    <message>
        <source>
Not predicted: %1</source>
        <translation>
未预测：%1</translation>
    </message>
    <message>
        <source>
%1 on %2 with %3: %4</source>
        <translation>
%1，设备 %2，软件栈 %3：%4</translation>
    </message>
    <message>
        <source>
published %1, predicted %2, which is %3</source>
        <translation>
公布值 %1，预测 %2，即 %3</translation>
    </message>
    <message>
        <source>
Its source does not state: %1</source>
        <translation>
来源没有说明：%1</translation>
    </message>
    <message>
        <source>
A click in the chart, Enter or a double click in the table opens it as a layout</source>
        <translation>
在图中单击，或在表中按回车或双击，可将其作为布局打开</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>已拒绝</translation>
    </message>
    <message>
        <source>predicted ÷ published − 1</source>
        <translation>预测 ÷ 公布值 − 1</translation>
    </message>
    <message>
        <source>run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>stack</source>
        <translation>软件栈</translation>
    </message>
    <message>
        <source>published</source>
        <translation>公布值</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>error</source>
        <translation>误差</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::EvidencePlot</name>
    <message>
        <source>Predicted against published</source>
        <translation>预测与公布值</translation>
    </message>
    <message>
        <source>published</source>
        <translation>公布值</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::EvidenceView</name>
    <message>
        <source>How good are predictions?
Here published runs are set against them.</source>
        <translation>预测有多准？
这里把公开发表的运行与预测对照。</translation>
    </message>
    <message>
        <source>Evidence</source>
        <translation>实证</translation>
    </message>
    <message>
        <source>Runs predicted</source>
        <translation>已预测的运行</translation>
    </message>
    <message>
        <source>Step time</source>
        <translation>步时间</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>What is compared</source>
        <translation>比较的内容</translation>
    </message>
    <message>
        <source>Which runs are shown</source>
        <translation>显示哪些运行</translation>
    </message>
    <message>
        <source>Published runs</source>
        <translation>公开发表的运行</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Runs too that do not count</source>
        <translation>也显示不计入的运行</translation>
    </message>
    <message>
        <source>Runs whose source leaves something out, and those that no layout says</source>
        <translation>来源有所遗漏的运行，以及没有布局能描述的运行</translation>
    </message>
    <message>
        <source>All runs</source>
        <translation>所有运行</translation>
    </message>
    <message>
        <source>The runs shown: %1</source>
        <translation>显示的运行：%1</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Predict runs</source>
        <translation>预测运行</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Keep what was predicted so far</source>
        <translation>保留目前已得到的预测</translation>
    </message>
    <message>
        <source>Predict the step and the memory of every published run that comes with Shardlab, on one core</source>
        <translation>用一个核心预测 Shardlab 自带的每个公开发表的运行的步时间和内存</translation>
    </message>
    <message>
        <source>Open published run %1</source>
        <translation>打开公开发表的运行 %1</translation>
    </message>
    <message>
        <source>predicting …</source>
        <translation>正在预测…</translation>
    </message>
    <message>
        <source>published runs, not predicted yet</source>
        <translation>公开发表的运行，尚未预测</translation>
    </message>
    <message>
        <source>%1 of %2 runs</source>
        <translation>%1 个运行，共 %2 个</translation>
    </message>
    <message>
        <source>%1 · median error %2 · nine of ten within %3</source>
        <translation>%1 · 误差中位数 %2 · 十有其九在 %3 以内</translation>
    </message>
    <message>
        <source>Errors of the runs shown that count: those whose source states everything that a layout needs. The band in the chart is where nine of ten of them lie.</source>
        <translation>所显示并计入的运行的误差：即来源说明了布局所需全部内容的运行。图中的带表示其中十分之九所在的范围。</translation>
    </message>
    <message>
        <source>run	source	devices	model	methods	stack	published	predicted	error	refused
</source>
        <translation>运行	来源	设备	模型	方法	软件栈	公布值	预测	误差	拒绝
</translation>
    </message>
    <message>
        <source>not predicted yet									
</source>
        <translation>尚未预测									
</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::ExchangeView</name>
    <message>
        <source>Staleness, overwritten elements or elastic distance over steps</source>
        <translation>随步变化的陈旧度、被覆盖的元素数或弹性距离</translation>
    </message>
    <message>
        <source>updates late</source>
        <translation>滞后的更新数</translation>
    </message>
    <message>
        <source>staleness of a gradient, in updates</source>
        <translation>梯度的陈旧度，以更新次数计</translation>
    </message>
    <message>
        <source>elements</source>
        <translation>元素</translation>
    </message>
    <message>
        <source>elements of another worker that an update overwrote</source>
        <translation>一次更新所覆盖的另一个 worker 的元素</translation>
    </message>
    <message>
        <source>distance</source>
        <translation>距离</translation>
    </message>
    <message>
        <source>distance between replica and centre before their exchange</source>
        <translation>交换之前副本与中心的距离</translation>
    </message>
    <message>
        <source>step %1 · update of worker %2 · %3 of %4 elements overwritten</source>
        <translation>第 %1 步 · worker %2 的更新 · 覆盖了 %3 个元素，共 %4 个</translation>
    </message>
    <message>
        <source>1 update late</source>
        <translation>滞后 1 次更新</translation>
    </message>
    <message>
        <source>%1 updates late</source>
        <translation>滞后 %1 次更新</translation>
    </message>
    <message>
        <source>step %1 · gradient of replica %2 · %3</source>
        <translation>第 %1 步 · 副本 %2 的梯度 · %3</translation>
    </message>
    <message>
        <source>step %1 · rank %2 · distance %3</source>
        <translation>第 %1 步 · rank %2 · 距离 %3</translation>
    </message>
    <message>
        <source>The trace does not record exchanges of weights.</source>
        <translation>trace 不记录权重交换。</translation>
    </message>
    <message>
        <source>Nothing to show: the replicas of this run have the same weights in every step.
Set Exchange in Design to async-server to see the staleness of gradients, to easgd to see how far replicas drift apart, or to hogwild to see how many elements of each other workers overwrite.</source>
        <translation>没有可显示的内容：这个运行的各副本每一步的权重都相同。
在“设计”中把“交换”设为 async-server 可看到梯度的陈旧度，设为 easgd 可看到各副本相距多远，设为 hogwild 可看到各 worker 相互覆盖了多少元素。</translation>
    </message>
    <message>
        <source>This run ended before its first exchange.</source>
        <translation>这个运行在第一次交换之前就结束了。</translation>
    </message>
    <message>
        <source>The curve appears with the first exchange.</source>
        <translation>第一次交换之后出现曲线。</translation>
    </message>
    <message>
        <source>%1 updates late on average, of %2</source>
        <translation>平均滞后 %1 次更新，共 %2 次</translation>
    </message>
    <message>
        <source>%1 of %2 elements overwritten · %3</source>
        <translation>覆盖了 %1 个元素，共 %2 个 · %3</translation>
    </message>
    <message>
        <source>step	worker	elements written	elements overwritten	updates late
</source>
        <translation>步	worker	写入的元素	被覆盖的元素	滞后的更新数
</translation>
    </message>
    <message>
        <source>step	replica	updates late
</source>
        <translation>步	副本	滞后的更新数
</translation>
    </message>
    <message>
        <source>step	rank	distance
</source>
        <translation>步	rank	距离
</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::ExperimentPart</name>
    <message>
        <source>Show this experiment in the views beside the text</source>
        <translation>在课文旁边的视图中显示这个实验</translation>
    </message>
    <message>
        <source>Show %1</source>
        <translation>显示 %1</translation>
    </message>
    <message>
        <source>Open in Design</source>
        <translation>在“设计”中打开</translation>
    </message>
    <message>
        <source>Open %1 in Design</source>
        <translation>在“设计”中打开 %1</translation>
    </message>
    <message>
        <source>Take the experiment&apos;s layout into Design, where you can change it; Ctrl+Z undoes that</source>
        <translation>把实验的布局放到“设计”中，可在那里修改；Ctrl+Z 撤销</translation>
    </message>
    <message>
        <source>cannot be planned</source>
        <translation>无法规划</translation>
    </message>
    <message>
        <source>%1 steps, about %2</source>
        <translation>%1 步，约 %2</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>正在启动</translation>
    </message>
    <message>
        <source>step %1 of %2</source>
        <translation>第 %1 步，共 %2 步</translation>
    </message>
    <message>
        <source>measured, %1 a step</source>
        <translation>已实测，每步 %1</translation>
    </message>
    <message>
        <source>stopped before its end</source>
        <translation>未结束就被停止</translation>
    </message>
    <message>
        <source>failed: %1</source>
        <translation>失败：%1</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>重新运行</translation>
    </message>
    <message>
        <source>Enter run</source>
        <translation>回车 运行</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::ExpertsPlot</name>
    <message>
        <source>Load of experts. The arrows walk along the bars</source>
        <translation>专家负载。用方向键在柱之间移动</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>第 %1 层</translation>
    </message>
    <message>
        <source>expert</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>layer %1 · expert %2 · %3 tokens · %4 × the average · %5 dropped</source>
        <translation>第 %1 层 · 专家 %2 · %3 个 token · 平均值的 %4 倍 · 丢弃 %5</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::ExpertsView</name>
    <message>
        <source>Load of experts</source>
        <translation>专家负载</translation>
    </message>
    <message>
        <source>within capacity</source>
        <translation>容量之内</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>token 数</translation>
    </message>
    <message>
        <source>dropped</source>
        <translation>丢弃</translation>
    </message>
    <message>
        <source>equal load</source>
        <translation>均等负载</translation>
    </message>
    <message>
        <source>Each bar shows how many tokens chose an expert. A token whose expert is full is dropped: the block passes it on unchanged.</source>
        <translation>每根柱表示选择该专家的 token 数。专家已满时 token 被丢弃：该块原样传递它。</translation>
    </message>
    <message>
        <source>Each bar shows how many tokens chose an expert. No token is dropped.</source>
        <translation>每根柱表示选择该专家的 token 数。没有 token 被丢弃。</translation>
    </message>
    <message>
        <source>The dashed line is the load of each expert if all had the same.</source>
        <translation>虚线表示所有专家负载相同时每个专家的负载。</translation>
    </message>
    <message>
        <source>busiest expert: %1 × the average · dropped: %2</source>
        <translation>最忙的专家：平均值的 %1 倍 · 丢弃：%2</translation>
    </message>
    <message>
        <source>step %1 · %2</source>
        <translation>第 %1 步 · %2</translation>
    </message>
    <message>
        <source>all ranks</source>
        <translation>所有 rank</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>No load was counted this early in the run.</source>
        <translation>运行到此时还没有统计负载。</translation>
    </message>
    <message>
        <source>This rank holds no layer with experts.</source>
        <translation>这个 rank 没有含专家的层。</translation>
    </message>
    <message>
        <source>The trace does not record the load of experts.</source>
        <translation>trace 不记录专家负载。</translation>
    </message>
    <message>
        <source>This model has no experts.
Set Model to gpt-moe in Design, and run.</source>
        <translation>这个模型没有专家。
在“设计”中把“模型”设为 gpt-moe 再运行。</translation>
    </message>
    <message>
        <source>This run ended before its first step was complete.</source>
        <translation>这个运行在完成第一步之前就结束了。</translation>
    </message>
    <message>
        <source>The bars appear with the first complete step.</source>
        <translation>完成第一步后出现柱状图。</translation>
    </message>
    <message>
        <source>step	layer	expert	tokens	dropped
</source>
        <translation>步	层	专家	token 数	丢弃
</translation>
    </message>
    <message>
        <source> · tokens that no expert took: %1 a layer · at most %2 experts a token</source>
        <translation> · 没有专家取用的 token：每层 %1 个 · 每个 token 至多 %2 个专家</translation>
    </message>
    <message>
        <source> · rounds of assignment: %1</source>
        <translation> · 分配的轮数：%1</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::ExponentsPlot</name>
    <message>
        <source>vanishes</source>
        <translation>变为零</translation>
    </message>
    <message>
        <source>subnormal</source>
        <translation>次正规数</translation>
    </message>
    <message>
        <source>range of fp16</source>
        <translation>fp16 的范围</translation>
    </message>
    <message>
        <source>infinite</source>
        <translation>无穷大</translation>
    </message>
    <message>
        <source>Gradients by exponent. Left and Right walk along the bars</source>
        <translation>按指数统计的梯度。用左右键在柱之间移动</translation>
    </message>
    <message>
        <source>%1 to %2 · %3 gradients · %4</source>
        <translation>%1 至 %2 · %3 个梯度 · %4</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::ExportWindow</name>
    <message>
        <source>With a script for S&amp;lurm</source>
        <translation>附带 S&amp;lurm 脚本</translation>
    </message>
    <message>
        <source>Text of the file</source>
        <translation>文件内容</translation>
    </message>
    <message>
        <source>Not carried over</source>
        <translation>未能导出的内容</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Save …</source>
        <translation>保存(&amp;S)…</translation>
    </message>
    <message>
        <source>%1 was copied.</source>
        <translation>已复制 %1。</translation>
    </message>
    <message>
        <source>Export for another trainer</source>
        <translation>导出给其他训练框架</translation>
    </message>
    <message>
        <source>Export &amp;for</source>
        <translation>导出给(&amp;F)</translation>
    </message>
    <message>
        <source>The trainer that reads the files</source>
        <translation>读取这些文件的训练框架</translation>
    </message>
    <message>
        <source>Files that would be written</source>
        <translation>将写出的文件</translation>
    </message>
    <message>
        <source>field</source>
        <translation>字段</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>已拒绝</translation>
    </message>
    <message>
        <source>why</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>nearest that is possible</source>
        <translation>最接近的可行取值</translation>
    </message>
    <message>
        <source>What is refused; Enter goes to its field</source>
        <translation>拒绝项；按回车转到对应字段</translation>
    </message>
    <message>
        <source>Copy the file in sight</source>
        <translation>复制当前显示的文件</translation>
    </message>
    <message>
        <source>Write the file and those that belong beside it</source>
        <translation>写出该文件及其附属文件</translation>
    </message>
    <message>
        <source>Write a script that sbatch takes, which starts the training by itself</source>
        <translation>写出可供 sbatch 使用、自行启动训练的脚本</translation>
    </message>
    <message>
        <source>%1 cannot do what this layout asks for in 1 place.</source>
        <translation>%1 无法满足这个布局的 1 处要求。</translation>
    </message>
    <message>
        <source>%1 cannot do what this layout asks for in %2 places.</source>
        <translation>%1 无法满足这个布局的 %2 处要求。</translation>
    </message>
    <message>
        <source>The layout has a fault, and can be exported once that is mended.</source>
        <translation>布局有一个错误，改正之后才能导出。</translation>
    </message>
    <message>
        <source>The layout has %1 faults, and can be exported once they are mended.</source>
        <translation>布局有 %1 个错误，改正之后才能导出。</translation>
    </message>
    <message>
        <source>Enter goes to the field.</source>
        <translation>按回车转到该字段。</translation>
    </message>
    <message>
        <source>Export for %1</source>
        <translation>导出给 %1</translation>
    </message>
    <message>
        <source>Written to %1: %2.</source>
        <translation>已写到 %1：%2。</translation>
    </message>
    <message>
        <source>Take all the &amp;nearest</source>
        <translation>全部采用最接近的值(&amp;N)</translation>
    </message>
    <message>
        <source>Set every refused field to the nearest that is possible, as one step that can be undone</source>
        <translation>把每个被拒绝的字段设为最接近的可行值，作为可以撤销的一步</translation>
    </message>
    <message>
        <source>Take what %1 can do</source>
        <translation>采用 %1 能做的</translation>
    </message>
    <message>
        <source>What is refused still has no nearest value of its field alone.</source>
        <translation>仍被拒绝的，单靠其字段没有最接近的值。</translation>
    </message>
    <message>
        <source>Changed: %1.</source>
        <translation>已更改：%1。</translation>
    </message>
    <message>
        <source>%1: %2.</source>
        <translation>%1：%2。</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::FactList</name>
    <message>
        <source>What	Value
</source>
        <translation>项目	值
</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::FaultsEditor</name>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>+ fault</source>
        <translation>+ 故障</translation>
    </message>
    <message>
        <source>rank</source>
        <translation>rank</translation>
    </message>
    <message>
        <source>after</source>
        <translation>于</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步后</translation>
    </message>
    <message>
        <source>× </source>
        <translation>× </translation>
    </message>
    <message>
        <source>What happens, fault %1</source>
        <translation>发生什么，故障 %1</translation>
    </message>
    <message>
        <source>kill: the process dies. hang: the process stands still. slow: the process computes more slowly from then on, by a factor</source>
        <translation>kill：进程终止。hang：进程停住。slow：此后进程的计算按一个系数变慢</translation>
    </message>
    <message>
        <source>Rank of fault %1</source>
        <translation>故障 %1 的 rank</translation>
    </message>
    <message>
        <source>The rank that the fault happens to</source>
        <translation>发生故障的 rank</translation>
    </message>
    <message>
        <source>Steps before fault %1</source>
        <translation>故障 %1 之前的步数</translation>
    </message>
    <message>
        <source>The number of steps before the fault, which happens as the next step begins</source>
        <translation>故障之前的步数；故障在下一步开始时发生</translation>
    </message>
    <message>
        <source>Slowdown of fault %1</source>
        <translation>故障 %1 的减速系数</translation>
    </message>
    <message>
        <source>The factor by which computing takes longer from then on</source>
        <translation>此后计算变慢的倍数</translation>
    </message>
    <message>
        <source>Text of fault %1</source>
        <translation>故障 %1 的文本</translation>
    </message>
    <message>
        <source>Remove fault %1</source>
        <translation>移除故障 %1</translation>
    </message>
    <message>
        <source>Remove this fault</source>
        <translation>移除此故障</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::FieldRow</name>
    <message>
        <source>%1
Without effect here: %2.</source>
        <translation>%1
在此无效：%2。</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::FiguresView</name>
    <message>
        <source>Figures of the step</source>
        <translation>这一步的指标</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>figure	value	compared with	what it is
</source>
        <translation>指标	值	对照	含义
</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::FileActions</name>
    <message>
        <source>The presets could not be read</source>
        <translation>无法读取预设</translation>
    </message>
    <message>
        <source>New from preset: %1</source>
        <translation>从预设新建：%1</translation>
    </message>
    <message>
        <source>Begin with a preset?</source>
        <translation>从一个预设开始？</translation>
    </message>
    <message>
        <source>Open recent: %1</source>
        <translation>打开最近的：%1</translation>
    </message>
    <message>
        <source>Begin a new layout?</source>
        <translation>开始一个新布局？</translation>
    </message>
    <message>
        <source>Open a layout or a run</source>
        <translation>打开布局或运行</translation>
    </message>
    <message>
        <source>Compare with a run</source>
        <translation>与一个运行比较</translation>
    </message>
    <message>
        <source>Runs (*.shardlab)</source>
        <translation>运行 (*.shardlab)</translation>
    </message>
    <message>
        <source>Import traces of one training job: one file per rank, or one with all</source>
        <translation>导入一个训练任务的 trace：每个 rank 一个文件，或者全部在一个文件中</translation>
    </message>
    <message>
        <source>Open %1?</source>
        <translation>打开 %1？</translation>
    </message>
    <message>
        <source>Save the layout</source>
        <translation>保存布局</translation>
    </message>
    <message>
        <source>No run was recorded yet</source>
        <translation>尚未记录任何运行</translation>
    </message>
    <message>
        <source>Press Run this layout (Ctrl+R) first.</source>
        <translation>请先按“运行此布局”（Ctrl+R）。</translation>
    </message>
    <message>
        <source>The layout “%1” has changes that are not saved.</source>
        <translation>布局“%1”有未保存的更改。</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Discard the changes</source>
        <translation>放弃更改</translation>
    </message>
    <message>
        <source>Go back</source>
        <translation>返回</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::FlamePlot</name>
    <message>
        <source>What lies within the action</source>
        <translation>动作内部的内容</translation>
    </message>
    <message>
        <source>
%1 of %2</source>
        <translation>
%1，共 %2</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::GradientsView</name>
    <message>
        <source>vanishes in fp16</source>
        <translation>在 fp16 中变为零</translation>
    </message>
    <message>
        <source>subnormal in fp16: loses digits</source>
        <translation>fp16 次正规数：损失精度</translation>
    </message>
    <message>
        <source>kept</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>infinite in fp16</source>
        <translation>在 fp16 中为无穷大</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>对数</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Gradients by exponent</source>
        <translation>按指数统计的梯度</translation>
    </message>
    <message>
        <source>Show the previous step with recorded gradients</source>
        <translation>显示上一个记录了梯度的步</translation>
    </message>
    <message>
        <source>Show the next step with recorded gradients</source>
        <translation>显示下一个记录了梯度的步</translation>
    </message>
    <message>
        <source>Draw logarithmic heights, so that small numbers of gradients show beside large ones</source>
        <translation>高度取对数，使数量少的梯度也能看见</translation>
    </message>
    <message>
        <source>Show the same as a table</source>
        <translation>以表格显示同样的内容</translation>
    </message>
    <message>
        <source>|gradient|</source>
        <translation>|梯度|</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>in fp16</source>
        <translation>在 fp16 中</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>kept %1</source>
        <translation>保留 %1</translation>
    </message>
    <message>
        <source>subnormal %1</source>
        <translation>次正规数 %1</translation>
    </message>
    <message>
        <source>beyond fp16 %1</source>
        <translation>超出 fp16 %1</translation>
    </message>
    <message>
        <source>Shares of the step&apos;s gradients, multiplied by the loss scale: %1 are kept, %2 are subnormal in fp16 (2⁻²⁴ to 2⁻¹⁴, digits are lost), %3 vanish (below 2⁻²⁴), %4 become infinite (from 2¹⁶ on).</source>
        <translation>该步梯度乘以损失缩放系数后的分布：%1 保留，%2 在 fp16 中为次正规数（2⁻²⁴ 至 2⁻¹⁴，损失精度），%3 变为零（小于 2⁻²⁴），%4 变为无穷大（从 2¹⁶ 起）。</translation>
    </message>
    <message>
        <source>0</source>
        <translation>0</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>not finite</source>
        <translation>非有限值</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>zeros: %1 · not finite: %2</source>
        <translation>零：%1 · 非有限值：%2</translation>
    </message>
    <message>
        <source>The trace does not record gradients.</source>
        <translation>trace 不记录梯度。</translation>
    </message>
    <message>
        <source>Gradients are recorded only in fp16 and where the loss is scaled.
Set Compute or Loss scale in Design, and run.</source>
        <translation>只有使用 fp16 或进行损失缩放时才记录梯度。
在“设计”中设置“计算”或“损失缩放”，再运行。</translation>
    </message>
    <message>
        <source>This run ended before gradients were counted.</source>
        <translation>这个运行在统计梯度之前就结束了。</translation>
    </message>
    <message>
        <source>The bars appear with the first step, and change with every tenth step after it.</source>
        <translation>第一步后出现柱状图，此后每十步更新一次。</translation>
    </message>
    <message>
        <source>times the loss scale · %1</source>
        <translation>乘以损失缩放系数 · %1</translation>
    </message>
    <message>
        <source>all ranks</source>
        <translation>所有 rank</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>step	smallest	gradients	share %	in fp16
</source>
        <translation>步	最小值	梯度	占比 %	在 fp16 中
</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::HappeningsModel</name>
    <message>
        <source>%1, after %2</source>
        <translation>%1，于 %2 之后</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>what</source>
        <translation>内容</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::HomeView</name>
    <message>
        <source>What	Name	In words
</source>
        <translation>项目	名称	说明
</translation>
    </message>
    <message>
        <source>preset	%1	%2: %3
</source>
        <translation>预设	%1	%2：%3
</translation>
    </message>
    <message>
        <source>recent</source>
        <translation>最近</translation>
    </message>
    <message>
        <source>lesson</source>
        <translation>课程</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::HostsEditor</name>
    <message>
        <source>+ host</source>
        <translation>+ 主机</translation>
    </message>
    <message>
        <source>Add a host</source>
        <translation>添加主机</translation>
    </message>
    <message>
        <source>Check every host as a run would: its program, its connection back to this machine, its clock and its GPUs</source>
        <translation>像运行那样检查每台主机：程序、到本机的回连、时钟和 GPU</translation>
    </message>
    <message>
        <source>start it once</source>
        <translation>启动一次</translation>
    </message>
    <message>
        <source>start it, and remember</source>
        <translation>启动并记住</translation>
    </message>
    <message>
        <source>To reach the hosts, the layout asks for this program to be started. Start it?
%1</source>
        <translation>为连接各主机，布局要求启动这个程序。启动吗？
%1</translation>
    </message>
    <message>
        <source>checking … stop</source>
        <translation>检查中…停止</translation>
    </message>
    <message>
        <source>check</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>Name of host %1</source>
        <translation>主机 %1 的名称</translation>
    </message>
    <message>
        <source>The name or address of the machine</source>
        <translation>机器的名称或地址</translation>
    </message>
    <message>
        <source>Devices of host %1</source>
        <translation>主机 %1 的设备数</translation>
    </message>
    <message>
        <source>The number of devices, and so of ranks that may run there</source>
        <translation>设备数，也就是可以在那里运行的 rank 数</translation>
    </message>
    <message>
        <source>Remove host %1</source>
        <translation>移除主机 %1</translation>
    </message>
    <message>
        <source>Remove this host</source>
        <translation>移除此主机</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::InsideView</name>
    <message>
        <source>Inside the selected action</source>
        <translation>所选动作的内部</translation>
    </message>
    <message>
        <source>Let it fill the width</source>
        <translation>让它占满宽度</translation>
    </message>
    <message>
        <source>Go out to what is around</source>
        <translation>回到外层</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source> · %1 more are too many to draw: select a shorter span</source>
        <translation> · 另有 %1 个，太多而无法画出：请选择较短的区间</translation>
    </message>
    <message>
        <source>Click an action in the timeline
to see what it is made of.</source>
        <translation>在时间线上点一个动作，
看它由什么组成。</translation>
    </message>
    <message>
        <source>This action is predicted as a whole: it exchanges nothing with its group
and computes nothing again.

The view Kernels of Design tells which kernels a step is made of.</source>
        <translation>这个动作是作为整体预测的：它不与组内其他 rank 交换数据，
也不重新计算任何内容。

一步由哪些内核组成，见“设计”中的视图“内核”。</translation>
    </message>
    <message>
        <source>Nothing is recorded within this action: it exchanges nothing with its group
and computes nothing again.

Run › Record operations has every tenth step of later runs record its operations;
not of paced runs, which show the times of other devices.</source>
        <translation>这个动作内部没有任何记录：它不与所在的组交换，
也不重新计算。

“运行 › 记录运算”让以后的运行每第十步记录其运算；
定速运行除外，它们显示的是其他设备的时间。</translation>
    </message>
    <message>
        <source>row	what	lane	from ms	ms	share	bytes	FLOP
</source>
        <translation>行	内容	通道	起点 ms	ms	占比	字节	FLOP
</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::IntegerListEditor</name>
    <message>
        <source>whole numbers with a space between, such as 64 256 64</source>
        <translation>以空格分隔的整数，例如 64 256 64</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::KernelBars</name>
    <message>
        <source>
Products of the forward</source>
        <translation>
前向的矩阵乘法</translation>
    </message>
    <message>
        <source>
Gradients of inputs, and the output projection</source>
        <translation>
输入梯度，以及输出投影</translation>
    </message>
    <message>
        <source>
Gradients of weights</source>
        <translation>
权重梯度</translation>
    </message>
    <message>
        <source>Time of each kind of kernel</source>
        <translation>各类内核的时间</translation>
    </message>
    <message>
        <source> · from cache</source>
        <translation> · 来自缓存</translation>
    </message>
    <message>
        <source> · %1×</source>
        <translation> · %1×</translation>
    </message>
    <message>
        <source>%1: %2 calls a step, %3, which is %4 of it</source>
        <translation>%1：每步调用 %2 次，%3，占 %4</translation>
    </message>
    <message>
        <source>
Products: %1FLOP/s</source>
        <translation>
矩阵乘法：%1FLOP/s</translation>
    </message>
    <message>
        <source>
Memory: %1</source>
        <translation>
内存：%1</translation>
    </message>
    <message>
        <source>
The matrix products take at least %1, at the cores&apos; peak rate</source>
        <translation>
按核心的峰值速率，矩阵乘法至少需要 %1</translation>
    </message>
    <message>
        <source>
Memory takes at least %1 for the operands; less where they stay in a cache</source>
        <translation>
读写操作数至少需要 %1；数据留在缓存中时更少</translation>
    </message>
    <message>
        <source>between kernels</source>
        <translation>内核之间</translation>
    </message>
    <message>
        <source>Lists of actions, buffers and the measurement itself take %1 of the step</source>
        <translation>动作列表、缓冲区和测量本身占这一步的 %1</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::KernelsView</name>
    <message>
        <source>Kernels</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>limit: arithmetic</source>
        <translation>上限：算力</translation>
    </message>
    <message>
        <source>limit: memory</source>
        <translation>上限：内存</translation>
    </message>
    <message>
        <source>above the limit</source>
        <translation>超出上限的部分</translation>
    </message>
    <message>
        <source>one step of a rank, %1 · the machine&apos;s limits explain %2</source>
        <translation>一个 rank 的一步，%1 · 机器的上限可解释 %2</translation>
    </message>
    <message>
        <source>No measurement fits this layout.
Run › Measure this machine times its layers and kernels here.</source>
        <translation>没有适用于这个布局的测量结果。
“运行 › 测量本机”可在这里测量各层和各内核的时间。</translation>
    </message>
    <message>
        <source>kernel	calls	seconds	FLOP	bytes	least seconds
</source>
        <translation>内核	调用次数	秒	FLOP	字节	最少秒数
</translation>
    </message>
    <message>
        <source>between kernels</source>
        <translation>内核之间</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::KeyHelp</name>
    <message>
        <source>W / S</source>
        <translation>W / S</translation>
    </message>
    <message>
        <source>Timeline: zoom in, out</source>
        <translation>时间线：放大、缩小</translation>
    </message>
    <message>
        <source>A / D</source>
        <translation>A / D</translation>
    </message>
    <message>
        <source>Timeline: earlier, later</source>
        <translation>时间线：向前、向后</translation>
    </message>
    <message>
        <source>F</source>
        <translation>F</translation>
    </message>
    <message>
        <source>Timeline: fit the selected action, or all</source>
        <translation>时间线：适合所选动作，或全部</translation>
    </message>
    <message>
        <source>M</source>
        <translation>M</translation>
    </message>
    <message>
        <source>Timeline: measure between two moments</source>
        <translation>时间线：测量两个时刻之间</translation>
    </message>
    <message>
        <source>Shift+drag</source>
        <translation>Shift+拖动</translation>
    </message>
    <message>
        <source>Timeline: measure what is dragged over</source>
        <translation>时间线：测量拖过的一段</translation>
    </message>
    <message>
        <source>Ctrl+drag</source>
        <translation>Ctrl+拖动</translation>
    </message>
    <message>
        <source>Timeline: figures of the ranks and time dragged over</source>
        <translation>时间线：拖过的 rank 和时间的指标</translation>
    </message>
    <message>
        <source>Ctrl+wheel</source>
        <translation>Ctrl+滚轮</translation>
    </message>
    <message>
        <source>Timeline: zoom at the pointer</source>
        <translation>时间线：以指针为中心缩放</translation>
    </message>
    <message>
        <source>U</source>
        <translation>U</translation>
    </message>
    <message>
        <source>Timeline: fold ranks that are alike into one row, or unfold them</source>
        <translation>时间线：把相同的 rank 折叠成一行，或展开</translation>
    </message>
    <message>
        <source>Home / End</source>
        <translation>Home / End</translation>
    </message>
    <message>
        <source>Timeline: go to the start, to the end</source>
        <translation>时间线：到开头、到末尾</translation>
    </message>
    <message>
        <source>Arrows</source>
        <translation>方向键</translation>
    </message>
    <message>
        <source>Timeline: another action · mesh: another rank</source>
        <translation>时间线：另一个动作 · 网格：另一个 rank</translation>
    </message>
    <message>
        <source>Ctrl+arrows</source>
        <translation>Ctrl+方向键</translation>
    </message>
    <message>
        <source>Order: move an action · F2: type it</source>
        <translation>顺序：移动动作 · F2：键入动作</translation>
    </message>
    <message>
        <source>Space</source>
        <translation>空格</translation>
    </message>
    <message>
        <source>Replay: play or pause</source>
        <translation>回放：播放或暂停</translation>
    </message>
    <message>
        <source>, and .</source>
        <translation>, 和 .</translation>
    </message>
    <message>
        <source>Replay: a step back, forward</source>
        <translation>回放：后退、前进一步</translation>
    </message>
    <message>
        <source>Tab</source>
        <translation>Tab</translation>
    </message>
    <message>
        <source>Next field or view</source>
        <translation>下一个字段或视图</translation>
    </message>
    <message>
        <source>Escape</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>Close what lies over the window</source>
        <translation>关闭窗口上的浮层</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>COMMANDS</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>VIEWS</source>
        <translation>视图</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::LayoutForm</name>
    <message>
        <source>RUNS ON</source>
        <translation>运行于</translation>
    </message>
    <message>
        <source>PLANNED FOR</source>
        <translation>规划目标</translation>
    </message>
    <message>
        <source>find a field: zero, bucket, /run</source>
        <translation>查找字段：zero、bucket、/run</translation>
    </message>
    <message>
        <source>Find a field</source>
        <translation>查找字段</translation>
    </message>
    <message>
        <source>Take a smaller twin of this design that trains on this machine: the same schedule, a smaller model on fewer ranks (Ctrl+Z takes the design back)</source>
        <translation>采用这个设计的缩小版，使其能在本机训练：调度相同，模型更小，rank 更少（Ctrl+Z 恢复原设计）</translation>
    </message>
    <message>
        <source>Shrink to this machine</source>
        <translation>缩小到本机</translation>
    </message>
    <message>
        <source>Fold or unfold the section</source>
        <translation>折叠或展开此节</translation>
    </message>
    <message>
        <source>1 fault</source>
        <translation>1 个错误</translation>
    </message>
    <message>
        <source>%1 faults</source>
        <translation>%1 个错误</translation>
    </message>
    <message>
        <source>Show or hide the fields that change nothing while the others are as they are</source>
        <translation>显示或隐藏在其余字段保持现状时不起作用的字段</translation>
    </message>
    <message>
        <source>hide 1 field without effect</source>
        <translation>隐藏 1 个不起作用的字段</translation>
    </message>
    <message>
        <source>hide %1 fields without effect</source>
        <translation>隐藏 %1 个不起作用的字段</translation>
    </message>
    <message>
        <source>1 more field, without effect here</source>
        <translation>另有 1 个字段，在此不起作用</translation>
    </message>
    <message>
        <source>%1 more fields, without effect here</source>
        <translation>另有 %1 个字段，在此不起作用</translation>
    </message>
    <message>
        <source>No field has all of these words.</source>
        <translation>没有字段包含所有这些词。</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::Legend</name>
    <message>
        <source>Legend: %1</source>
        <translation>图例：%1</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::LessonSession</name>
    <message>
        <source>The experiment %1 is running: wait for its end, or stop it.</source>
        <translation>实验 %1 正在运行：请等它结束，或停止它。</translation>
    </message>
    <message>
        <source>Take the experiment %1</source>
        <translation>采用实验 %1</translation>
    </message>
    <message>
        <source>Take the layout of a what-if</source>
        <translation>取用假设图的布局</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::LessonView</name>
    <message>
        <source>Lesson</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>Previous lesson</source>
        <translation>上一课</translation>
    </message>
    <message>
        <source>Next lesson</source>
        <translation>下一课</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Run all</source>
        <translation>全部运行</translation>
    </message>
    <message>
        <source>End the experiment that runs, %1, after this step</source>
        <translation>在这一步之后结束正在运行的实验 %1</translation>
    </message>
    <message>
        <source>Run the experiments of this lesson one after the other</source>
        <translation>依次运行本课的各个实验</translation>
    </message>
    <message>
        <source>%1 of %2 experiments measured</source>
        <translation>已实测 %1 个实验，共 %2 个</translation>
    </message>
    <message>
        <source>There are no lessons.
%1</source>
        <translation>没有课程。
%1</translation>
    </message>
    <message>
        <source>experiment	figure	measured	predicted	theory
</source>
        <translation>实验	指标	实测	预测	理论
</translation>
    </message>
    <message>
        <source>What can be done with the whole lesson</source>
        <translation>可以对整节课做的事</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Present</source>
        <translation>演示</translation>
    </message>
    <message>
        <source>Save as a handout …</source>
        <translation>保存为讲义……</translation>
    </message>
    <message>
        <source>Forget my guesses and steps</source>
        <translation>忘掉我的猜测和步骤</translation>
    </message>
    <message>
        <source>Save a handout of the lesson</source>
        <translation>保存课程的讲义</translation>
    </message>
    <message>
        <source>PDF (*.pdf);;Web pages (*.html)</source>
        <translation>PDF (*.pdf);;网页 (*.html)</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::LiveSession</name>
    <message>
        <source>cannot listen</source>
        <translation>无法监听</translation>
    </message>
    <message>
        <source>a run is being watched already</source>
        <translation>已在观看一个运行</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::LongEditor</name>
    <message>
        <source>a whole number of at most 64 bits</source>
        <translation>不超过 64 位的整数</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::LossScaleView</name>
    <message>
        <source>Loss scale over steps</source>
        <translation>随步变化的损失缩放系数</translation>
    </message>
    <message>
        <source>loss scale</source>
        <translation>损失缩放系数</translation>
    </message>
    <message>
        <source>overflow, step skipped</source>
        <translation>溢出，该步被跳过</translation>
    </message>
    <message>
        <source>step %1 · loss scale %2</source>
        <translation>第 %1 步 · 损失缩放系数 %2</translation>
    </message>
    <message>
        <source>The trace does not record a loss scale.</source>
        <translation>trace 不记录损失缩放系数。</translation>
    </message>
    <message>
        <source>Nothing to show: this run computes in %1 and does not scale its loss.
Set Loss scale to static or dynamic in Design; fp16 needs it because its gradients are small.</source>
        <translation>没有可显示的内容：这个运行用 %1 计算，不缩放损失。
在“设计”中把“损失缩放”设为 static 或 dynamic；fp16 的梯度很小，因此需要它。</translation>
    </message>
    <message>
        <source>This run ended before its first step was complete.</source>
        <translation>这个运行在完成第一步之前就结束了。</translation>
    </message>
    <message>
        <source>The loss scale appears with the first complete step.</source>
        <translation>完成第一步后出现损失缩放系数。</translation>
    </message>
    <message>
        <source>step %1 · %2</source>
        <translation>第 %1 步 · %2</translation>
    </message>
    <message>
        <source> · no overflow</source>
        <translation> · 无溢出</translation>
    </message>
    <message>
        <source> · 1 skipped</source>
        <translation> · 跳过 1 步</translation>
    </message>
    <message>
        <source> · %1 skipped</source>
        <translation> · 跳过 %1 步</translation>
    </message>
    <message>
        <source>step	loss scale	overflow on rank	layer	microbatch	action
</source>
        <translation>步	损失缩放系数	溢出的 rank	层	微批次	动作
</translation>
    </message>
    <message>
        <source>sum over replicas</source>
        <translation>各副本求和</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::LossView</name>
    <message>
        <source>Log</source>
        <translation>对数</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Loss over steps</source>
        <translation>随步变化的损失</translation>
    </message>
    <message>
        <source>training</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>Logarithmic loss axis</source>
        <translation>损失轴取对数</translation>
    </message>
    <message>
        <source>Loss over time</source>
        <translation>随时间变化的损失</translation>
    </message>
    <message>
        <source>The loss over the time that the devices take, not over steps: of two layouts that learn the same in a step, the faster one is lower at each moment</source>
        <translation>以设备所用的时间而不是步数为横轴的损失：两个布局每一步学到的相同时，更快的那个在每一时刻都更低</translation>
    </message>
    <message>
        <source>learning rate, right</source>
        <translation>学习率（右轴）</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>before it, %1</source>
        <translation>此前，%1</translation>
    </message>
    <message>
        <source>step %1 · training %2</source>
        <translation>第 %1 步 · 训练 %2</translation>
    </message>
    <message>
        <source>%1 · </source>
        <translation>%1 · </translation>
    </message>
    <message>
        <source> · validation %1 (step %2)</source>
        <translation> · 验证 %1（第 %2 步）</translation>
    </message>
    <message>
        <source> · learning rate %1</source>
        <translation> · 学习率 %1</translation>
    </message>
    <message>
        <source>The trace does not record losses.</source>
        <translation>trace 不记录损失。</translation>
    </message>
    <message>
        <source>This run ended before its first step was complete.</source>
        <translation>这个运行在完成第一步之前就结束了。</translation>
    </message>
    <message>
        <source>The loss appears with the first complete step.</source>
        <translation>完成第一步后出现损失。</translation>
    </message>
    <message>
        <source>nats per image</source>
        <translation>nat / 图像</translation>
    </message>
    <message>
        <source>nats per token</source>
        <translation>nat / token</translation>
    </message>
    <message>
        <source> · goes on %1</source>
        <translation> · 接续 %1</translation>
    </message>
    <message>
        <source>step %1 · %2 %3</source>
        <translation>第 %1 步 · %2 %3</translation>
    </message>
    <message>
        <source> · validation %1</source>
        <translation> · 验证 %1</translation>
    </message>
    <message>
        <source>step	training loss	validation loss	learning rate	skipped</source>
        <translation>步	训练损失	验证损失	学习率	跳过</translation>
    </message>
    <message>
        <source>%1	%2			%3
</source>
        <translation>%1	%2			%3
</translation>
    </message>
    <message>
        <source>predictions ahead</source>
        <translation>预先预测</translation>
    </message>
    <message>
        <source> · predictions ahead %1</source>
        <translation> · 预先预测 %1</translation>
    </message>
    <message>
        <source>	loss of predictions ahead</source>
        <translation>	预先预测的损失</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::MainMenu</name>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Main menu</source>
        <translation>主菜单</translation>
    </message>
    <message>
        <source>Open recent</source>
        <translation>打开最近的文件</translation>
    </message>
    <message>
        <source>New from preset</source>
        <translation>从预设新建</translation>
    </message>
    <message>
        <source>Views</source>
        <translation>视图</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::MainWindow</name>
    <message>
        <source>Nothing was run</source>
        <translation>没有运行任何内容</translation>
    </message>
    <message>
        <source>%1[*] — Shardlab</source>
        <translation>%1[*] — Shardlab</translation>
    </message>
    <message>
        <source>A run is training</source>
        <translation>有一个运行正在训练</translation>
    </message>
    <message>
        <source>Closing ends it; what was recorded so far stays in %1.</source>
        <translation>关闭会结束它；目前已记录的内容保留在 %1 中。</translation>
    </message>
    <message>
        <source>End the run and close</source>
        <translation>结束运行并关闭</translation>
    </message>
    <message>
        <source>Keep running</source>
        <translation>继续运行</translation>
    </message>
    <message>
        <source>Close Shardlab?</source>
        <translation>关闭 Shardlab？</translation>
    </message>
    <message>
        <source>The desktop speaks this language from its next start on</source>
        <translation>界面从下次启动起使用此语言</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>Stop listening</source>
        <translation>停止监听</translation>
    </message>
    <message>
        <source>Disconnect</source>
        <translation>断开连接</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Fewer replicas</source>
        <translation>减少副本</translation>
    </message>
    <message>
        <source>More replicas</source>
        <translation>增加副本</translation>
    </message>
    <message>
        <source>Kill rank %1</source>
        <translation>终止 rank %1</translation>
    </message>
    <message>
        <source>Kill the selected rank</source>
        <translation>终止所选的 rank</translation>
    </message>
    <message>
        <source>Stop rank %1&apos;s process</source>
        <translation>暂停 rank %1 的进程</translation>
    </message>
    <message>
        <source>Stop the selected rank&apos;s process</source>
        <translation>暂停所选 rank 的进程</translation>
    </message>
    <message>
        <source>Stop importing</source>
        <translation>停止导入</translation>
    </message>
    <message>
        <source>Stop reading</source>
        <translation>停止读取</translation>
    </message>
    <message>
        <source>Shardlab %1</source>
        <translation>Shardlab %1</translation>
    </message>
    <message>
        <source>A desktop lab for distributed training: design a parallel layout, run it for real, watch it, replay it, learn from it.
The desktop is under the GNU General Public License, version 3 or later; the engine under the Apache License 2.0.</source>
        <translation>分布式训练的桌面实验室：设计并行布局，真实地运行它、观看它、回放它，并从中学习。
桌面程序采用 GNU 通用公共许可证第 3 版或更新版本；引擎采用 Apache 许可证 2.0。</translation>
    </message>
    <message>
        <source>Begin with a preset?</source>
        <translation>从一个预设开始？</translation>
    </message>
    <message>
        <source>Begin with this model on this cluster?</source>
        <translation>从这个集群上的这个模型开始？</translation>
    </message>
    <message>
        <source>Lesson: %1</source>
        <translation>课程：%1</translation>
    </message>
    <message>
        <source>Read this lesson in Learn</source>
        <translation>在“学习”中阅读这一课</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::ManualWindow</name>
    <message>
        <source>Manual</source>
        <translation>手册</translation>
    </message>
    <message>
        <source>Topics</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Page of the manual</source>
        <translation>手册页面</translation>
    </message>
    <message>
        <source>find (Ctrl+F)</source>
        <translation>查找 (Ctrl+F)</translation>
    </message>
    <message>
        <source>Find in the manual</source>
        <translation>在手册中查找</translation>
    </message>
    <message>
        <source>Find lines with all of these words, on any page. Return goes to the chosen line.</source>
        <translation>在所有页面中查找含有全部这些词的行。按回车转到所选的行。</translation>
    </message>
    <message>
        <source>Lines found</source>
        <translation>找到的行</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>no line has all of this</source>
        <translation>没有哪一行含有全部这些</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::MatrixPlot</name>
    <message>
        <source>Bytes from rank to rank; arrows walk the cells</source>
        <translation>rank 之间的字节数；用方向键在单元格之间移动</translation>
    </message>
    <message>
        <source>rank %1 → rank %2: nothing</source>
        <translation>rank %1 → rank %2：无</translation>
    </message>
    <message>
        <source>rank %1 → rank %2: %3 a step in %4 sends</source>
        <translation>rank %1 → rank %2：每步 %3，发送 %4 次</translation>
    </message>
    <message>
        <source>row → column, a step</source>
        <translation>行 → 列，每步</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::MeasureSession</name>
    <message>
        <source>starting ranks</source>
        <translation>正在启动 rank</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::MemoryBars</name>
    <message>
        <source>%1 + %2 host</source>
        <translation>%1 + 主机 %2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1，共 %2</translation>
    </message>
    <message>
        <source>usable %1</source>
        <translation>可用 %1</translation>
    </message>
    <message>
        <source> × %1</source>
        <translation> × %1</translation>
    </message>
    <message>
        <source>on the host %1</source>
        <translation>主机上 %1</translation>
    </message>
    <message>
        <source>peak %1</source>
        <translation>峰值 %1</translation>
    </message>
    <message>
        <source>predicted peak %1</source>
        <translation>预测峰值 %1</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::MemoryCurvePlot</name>
    <message>
        <source>usable %1</source>
        <translation>可用 %1</translation>
    </message>
    <message>
        <source>peak %1</source>
        <translation>峰值 %1</translation>
    </message>
    <message>
        <source> · predicted %1</source>
        <translation> · 预测 %1</translation>
    </message>
    <message>
        <source>rank %1 · %2</source>
        <translation>rank %1 · %2</translation>
    </message>
    <message>
        <source>, predicted %1</source>
        <translation>，预测 %1</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::MemoryOverTimeView</name>
    <message>
        <source>Memory over time</source>
        <translation>内存随时间变化</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source> · measured, the line is predicted</source>
        <translation> · 实测，线为预测</translation>
    </message>
    <message>
        <source> · predicted</source>
        <translation> · 预测</translation>
    </message>
    <message>
        <source>rank	from ms	sum</source>
        <translation>rank	起始 ms	总和</translation>
    </message>
    <message>
        <source>%1	…	more, zoom in to see them
</source>
        <translation>%1	…	还有更多，放大可见
</translation>
    </message>
    <message>
        <source>The trace does not record memory by category.
What it counts is in Counters.</source>
        <translation>trace 不按类别记录内存。
它所计的数在“计数器”里。</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::MemoryPerRankView</name>
    <message>
        <source>Memory per rank</source>
        <translation>各 rank 内存</translation>
    </message>
    <message>
        <source>peak</source>
        <translation>峰值</translation>
    </message>
    <message>
        <source>predicted peak</source>
        <translation>预测峰值</translation>
    </message>
    <message>
        <source>largest memory in use in step %1</source>
        <translation>第 %1 步中使用内存的最大值</translation>
    </message>
    <message>
        <source>predicted peak, nothing measured yet</source>
        <translation>预测峰值，尚未实测</translation>
    </message>
    <message>
        <source>in use before the first step</source>
        <translation>第一步之前的使用量</translation>
    </message>
    <message>
        <source>at the cursor, step %1</source>
        <translation>光标处，第 %1 步</translation>
    </message>
    <message>
        <source>at the peak of step %1</source>
        <translation>第 %1 步的峰值处</translation>
    </message>
    <message>
        <source>The trace does not record the memory in use by step.</source>
        <translation>trace 不按步记录使用的内存。</translation>
    </message>
    <message>
        <source>rank	place</source>
        <translation>rank	位置</translation>
    </message>
    <message>
        <source> bytes</source>
        <translation> 字节</translation>
    </message>
    <message>
        <source>	peak bytes	predicted peak bytes</source>
        <translation>	峰值字节	预测峰值字节</translation>
    </message>
    <message>
        <source>	host bytes
</source>
        <translation>	主机字节
</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::MeshGrid</name>
    <message>
        <source>Ranks of the mesh</source>
        <translation>网格的 rank</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::MeshView</name>
    <message>
        <source>expert %1</source>
        <translation>专家 %1</translation>
    </message>
    <message>
        <source>experts %1–%2</source>
        <translation>专家 %1–%2</translation>
    </message>
    <message>
        <source>embedding</source>
        <translation>嵌入层</translation>
    </message>
    <message>
        <source>output</source>
        <translation>输出层</translation>
    </message>
    <message>
        <source>Rank %1 · %2
%3 device %4
%5</source>
        <translation>Rank %1 · %2
%3 设备 %4
%5</translation>
    </message>
    <message>
        <source>the only rank</source>
        <translation>唯一的 rank</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>
busy %1 of step %2</source>
        <translation>
忙碌时间占 %1（第 %2 步）</translation>
    </message>
    <message>
        <source>
process %1</source>
        <translation>
进程 %1</translation>
    </message>
    <message>
        <source>Copy what rank %1 holds</source>
        <translation>复制 rank %1 所持有的内容</translation>
    </message>
    <message>
        <source>which rank holds what</source>
        <translation>各 rank 持有什么</translation>
    </message>
    <message>
        <source>the ranks of the trace</source>
        <translation>trace 中的 rank</translation>
    </message>
    <message>
        <source>busy % in step %1</source>
        <translation>第 %1 步的忙碌 %</translation>
    </message>
    <message>
        <source>Rank	Place	Host	Device	Layers	Busy</source>
        <translation>Rank	位置	主机	设备	层	忙碌</translation>
    </message>
    <message>
        <source>	Experts	Expert group</source>
        <translation>	专家	专家组</translation>
    </message>
    <message>
        <source>%1 of each block with experts</source>
        <translation>每个带专家的块有 %1</translation>
    </message>
    <message>
        <source>tokens for other experts go to rank %1</source>
        <translation>去往其他专家的 token 送到 rank %1</translation>
    </message>
    <message>
        <source>rank %1 of its tensor group has others</source>
        <translation>其张量组的 rank %1 持有另外的专家</translation>
    </message>
    <message>
        <source>each expert is cut with rank %1</source>
        <translation>每个专家与 rank %1 一起切开</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::MessageArea</name>
    <message>
        <source>
and %1 more</source>
        <translation>
还有 %1 个</translation>
    </message>
    <message>
        <source>Close this message</source>
        <translation>关闭此消息</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>显示全部</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::NearestSession</name>
    <message>
        <source>Take the nearest legal layout</source>
        <translation>采用最接近的合法布局</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::NotesView</name>
    <message>
        <source>What	Why
</source>
        <translation>内容	原因
</translation>
    </message>
    <message>
        <source>Nearest legal layout</source>
        <translation>最接近的合法布局</translation>
    </message>
    <message>
        <source>Take it</source>
        <translation>采用</translation>
    </message>
    <message>
        <source>Slower by %1: %2</source>
        <translation>慢 %1：%2</translation>
    </message>
    <message>
        <source>Take %1</source>
        <translation>采用 %1</translation>
    </message>
    <message>
        <source>better	%1
</source>
        <translation>更好	%1
</translation>
    </message>
    <message>
        <source>what the figures follow from</source>
        <translation>这些数字从何而来</translation>
    </message>
    <message>
        <source>1 fault to mend</source>
        <translation>有 1 个错误待改正</translation>
    </message>
    <message>
        <source>%1 faults to mend</source>
        <translation>有 %1 个错误待改正</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::NumberEditor</name>
    <message>
        <source>a number such as 0.1 or 3e-4</source>
        <translation>一个数，例如 0.1 或 3e-4</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::NumberListEditor</name>
    <message>
        <source>numbers with a space between, such as 0.9 0.95</source>
        <translation>以空格分隔的数，例如 0.9 0.95</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::OrderEditor</name>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>1 rank</source>
        <translation>1 个 rank</translation>
    </message>
    <message>
        <source>%1 ranks</source>
        <translation>%1 个 rank</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::OrderGrid</name>
    <message>
        <source>communication or update</source>
        <translation>通信或更新</translation>
    </message>
    <message>
        <source>Order of actions, with a row for each pipeline rank</source>
        <translation>动作的顺序，每个流水线 rank 一行</translation>
    </message>
    <message>
        <source>pp%1</source>
        <translation>pp%1</translation>
    </message>
    <message>
        <source>%1: %2 of microbatch %3 on stage %4, pipeline rank %5</source>
        <translation>%1：微批次 %3 的%2，阶段 %4，流水线 rank %5</translation>
    </message>
    <message>
        <source>
Legal: %1</source>
        <translation>
合法取值：%1</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::OrderView</name>
    <message>
        <source>Save CSV …</source>
        <translation>保存 CSV…</translation>
    </message>
    <message>
        <source>Actions in this place</source>
        <translation>此处的动作</translation>
    </message>
    <message>
        <source>Open CSV …</source>
        <translation>打开 CSV…</translation>
    </message>
    <message>
        <source>Take the order from a file with one line for each pipeline rank, as torch.distributed.pipelining and Shardlab write it</source>
        <translation>从文件读取顺序，每个流水线 rank 一行，格式与 torch.distributed.pipelining 和 Shardlab 写出的相同</translation>
    </message>
    <message>
        <source>Write the order to a file with one line for each pipeline rank, as torch.distributed.pipelining reads it</source>
        <translation>把顺序写到文件，每个流水线 rank 一行，可供 torch.distributed.pipelining 读取</translation>
    </message>
    <message>
        <source>Back to %1</source>
        <translation>恢复为 %1</translation>
    </message>
    <message>
        <source>Edit by hand</source>
        <translation>手动编辑</translation>
    </message>
    <message>
        <source>Discard this order and use the schedule&apos;s own again</source>
        <translation>放弃这个顺序，重新使用调度自身的顺序</translation>
    </message>
    <message>
        <source>Copy this order into the layout, where you can change each action</source>
        <translation>把这个顺序复制到布局中，之后可以修改每个动作</translation>
    </message>
    <message>
        <source>%1 keeps several versions of the weights: its order can be seen here, but not edited</source>
        <translation>%1 同时保留多个权重版本：这里可以查看其顺序，但不能编辑</translation>
    </message>
    <message>
        <source>Drag an action, or move it with Ctrl+← and Ctrl+→; F2 types another in its place</source>
        <translation>拖动一个动作，或用 Ctrl+← 和 Ctrl+→ 移动它；F2 可在原处键入另一个动作</translation>
    </message>
    <message>
        <source>This is the order that %1 makes</source>
        <translation>这是 %1 产生的顺序</translation>
    </message>
    <message>
        <source>This is the order that %1 makes; with several versions of the weights it cannot be edited by hand</source>
        <translation>这是 %1 产生的顺序；因为有多个权重版本，不能手动编辑</translation>
    </message>
    <message>
        <source>Move %1</source>
        <translation>移动 %1</translation>
    </message>
    <message>
        <source>Type one action or several, such as 2I3,2W3; an empty field removes the action. Enter applies the change, Esc cancels it</source>
        <translation>键入一个或多个动作，例如 2I3,2W3；留空则移除该动作。回车应用更改，Esc 取消</translation>
    </message>
    <message>
        <source>Type %1</source>
        <translation>键入 %1</translation>
    </message>
    <message>
        <source>Back to the schedule %1</source>
        <translation>恢复为调度 %1</translation>
    </message>
    <message>
        <source>Edit the schedule by hand</source>
        <translation>手动编辑调度</translation>
    </message>
    <message>
        <source>Open a schedule</source>
        <translation>打开调度</translation>
    </message>
    <message>
        <source>Save the schedule</source>
        <translation>保存调度</translation>
    </message>
    <message>
        <source>Cannot open %1: %2</source>
        <translation>无法打开 %1：%2</translation>
    </message>
    <message>
        <source>Open the schedule %1</source>
        <translation>打开调度 %1</translation>
    </message>
    <message>
        <source>Opened %1%2</source>
        <translation>已打开 %1%2</translation>
    </message>
    <message>
        <source>Cannot save %1: %2</source>
        <translation>无法保存 %1：%2</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>已保存 %1</translation>
    </message>
    <message>
        <source>%1 actions on 1 pipeline rank</source>
        <translation>%1 个动作，1 个流水线 rank</translation>
    </message>
    <message>
        <source>%1 actions on %2 pipeline ranks</source>
        <translation>%1 个动作，%2 个流水线 rank</translation>
    </message>
    <message>
        <source>by hand · %1</source>
        <translation>手动 · %1</translation>
    </message>
    <message>
        <source>pipeline rank	order
</source>
        <translation>流水线 rank	顺序
</translation>
    </message>
    <message>
        <source>Go to the field</source>
        <translation>转到该字段</translation>
    </message>
    <message>
        <source>Show the field that has to be changed first</source>
        <translation>显示最先需要修改的字段</translation>
    </message>
    <message>
        <source>No order can be made of this layout.</source>
        <translation>这个布局排不出任何顺序。</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::PaceEditor</name>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::PlainTextEditor</name>
    <message>
        <source>Choose a text file</source>
        <translation>选择文本文件</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::Presenter</name>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Space next lesson</source>
        <translation>空格 下一课</translation>
    </message>
    <message>
        <source>Space on</source>
        <translation>空格 下一屏</translation>
    </message>
    <message>
        <source>← back</source>
        <translation>← 上一屏</translation>
    </message>
    <message>
        <source>Esc leave</source>
        <translation>Esc 退出</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::PresetGallery</name>
    <message>
        <source>Find a preset: a model, a schedule, “zero”, “bf16” …</source>
        <translation>查找预设：模型、调度、“zero”、“bf16”…</translation>
    </message>
    <message>
        <source>Find a preset</source>
        <translation>查找预设</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Begin with a preset</source>
        <translation>从预设开始</translation>
    </message>
    <message>
        <source>No preset has all of these words.</source>
        <translation>没有预设同时包含这些词。</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::QueryView</name>
    <message>
        <source>The ten slowest steps</source>
        <translation>最慢的十步</translation>
    </message>
    <message>
        <source>Time of each rank by kind</source>
        <translation>各 rank 按类别的时间</translation>
    </message>
    <message>
        <source>Measured against predicted, by kind</source>
        <translation>按类别对照实测与预测</translation>
    </message>
    <message>
        <source>Which rank waits most</source>
        <translation>哪个 rank 等待最多</translation>
    </message>
    <message>
        <source>Overflows of the scaled loss</source>
        <translation>损失缩放引起的溢出</translation>
    </message>
    <message>
        <source>Products in 8 bits that saturate or become 0</source>
        <translation>饱和或变为 0 的 8 位乘法</translation>
    </message>
    <message>
        <source>Warnings and errors</source>
        <translation>警告和错误</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>查询</translation>
    </message>
    <message>
        <source>Query of the run</source>
        <translation>对运行的查询</translation>
    </message>
    <message>
        <source>A SELECT over events, steps, rank_steps, ranks, log and run</source>
        <translation>对 events、steps、rank_steps、ranks、log 和 run 的 SELECT</translation>
    </message>
    <message>
        <source>Type one SELECT; Ctrl+Return runs it</source>
        <translation>键入一条 SELECT；Ctrl+回车执行</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>示例</translation>
    </message>
    <message>
        <source>Examples of queries</source>
        <translation>查询示例</translation>
    </message>
    <message>
        <source>Tables</source>
        <translation>表</translation>
    </message>
    <message>
        <source>Tables and columns that a query may name</source>
        <translation>查询中可以使用的表和列</translation>
    </message>
    <message>
        <source>Result of the query</source>
        <translation>查询结果</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1 — %2</source>
        <translation>%1 — %2</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Stop the query and keep the rows that have arrived</source>
        <translation>停止查询并保留已到达的行</translation>
    </message>
    <message>
        <source>Run the query (Ctrl+Return)</source>
        <translation>执行查询（Ctrl+回车）</translation>
    </message>
    <message>
        <source>Only the first %1 rows are shown; LIMIT, WHERE or GROUP BY give fewer.</source>
        <translation>只显示前 %1 行；可用 LIMIT、WHERE 或 GROUP BY 减少行数。</translation>
    </message>
    <message>
        <source>Cancelled: only the rows that had arrived are shown.</source>
        <translation>已取消：只显示已到达的行。</translation>
    </message>
    <message>
        <source>No row matches the query.</source>
        <translation>没有符合查询的行。</translation>
    </message>
    <message>
        <source>This run is not recorded in a file, so it cannot be queried.</source>
        <translation>这个运行没有记录到文件中，因此无法查询。</translation>
    </message>
    <message>
        <source>asking …</source>
        <translation>正在查询…</translation>
    </message>
    <message>
        <source>SQL over this run</source>
        <translation>对这个运行执行 SQL</translation>
    </message>
    <message>
        <source>1 row</source>
        <translation>1 行</translation>
    </message>
    <message>
        <source>%1 rows</source>
        <translation>%1 行</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%1，用时 %2</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::QuestionPart</name>
    <message>
        <source>This is my guess</source>
        <translation>这是我的猜测</translation>
    </message>
    <message>
        <source>Go on without</source>
        <translation>不猜，继续</translation>
    </message>
    <message>
        <source>Show what the question hides, without a guess</source>
        <translation>不做猜测，直接显示问题所隐藏的内容</translation>
    </message>
    <message>
        <source>The run does not tell.</source>
        <translation>这次运行没有给出答案。</translation>
    </message>
    <message>
        <source>You guessed: %1</source>
        <translation>您猜的是：%1</translation>
    </message>
    <message>
        <source>Run %1 and see</source>
        <translation>运行 %1 看看</translation>
    </message>
    <message>
        <source> and </source>
        <translation> 和 </translation>
    </message>
    <message>
        <source>Run %1 experiments and see</source>
        <translation>运行 %1 个实验，看结果</translation>
    </message>
    <message>
        <source>↑ ↓ choose</source>
        <translation>↑ ↓ 选择</translation>
    </message>
    <message>
        <source>Enter guess or run</source>
        <translation>回车 猜测或运行</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::ReadEditor</name>
    <message>
        <source>“%1” is not %2</source>
        <translation>“%1”不是%2</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::RecentList</name>
    <message>
        <source>Recent</source>
        <translation>最近</translation>
    </message>
    <message>
        <source>Find by name, words or tag</source>
        <translation>按名称、内容或标签查找</translation>
    </message>
    <message>
        <source>Find a recent run or layout</source>
        <translation>查找最近的运行或布局</translation>
    </message>
    <message>
        <source>Recent runs and layouts</source>
        <translation>最近的运行和布局</translation>
    </message>
    <message>
        <source>A double click or Enter opens it; Delete takes it off this list.</source>
        <translation>双击或回车打开；Delete 将其从列表中移除。</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>your own words for the selected run or layout</source>
        <translation>为所选的运行或布局写上自己的词</translation>
    </message>
    <message>
        <source>Tags of the selected run or layout</source>
        <translation>所选运行或布局的标签</translation>
    </message>
    <message>
        <source>run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>layout</source>
        <translation>布局</translation>
    </message>
    <message>
        <source>same layout as %1</source>
        <translation>与 %1 相同的布局</translation>
    </message>
    <message>
        <source>after %1: %2</source>
        <translation>于 %1 之后：%2</translation>
    </message>
    <message>
        <source>Runs and layouts that you open will stand here.</source>
        <translation>打开过的运行和布局会列在这里。</translation>
    </message>
    <message>
        <source>None has all of these words.</source>
        <translation>没有同时包含这些词的项。</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::ReplayView</name>
    <message>
        <source>Replay controls</source>
        <translation>回放控制</translation>
    </message>
    <message>
        <source>Go to the start of the step, or of the one before (,)</source>
        <translation>到该步的开头，或前一步的开头（,）</translation>
    </message>
    <message>
        <source>Step back</source>
        <translation>后退一步</translation>
    </message>
    <message>
        <source>Go to the next step (.)</source>
        <translation>到下一步（.）</translation>
    </message>
    <message>
        <source>Step forward</source>
        <translation>前进一步</translation>
    </message>
    <message>
        <source>Moment of the run</source>
        <translation>运行的时刻</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>How fast the run plays</source>
        <translation>运行播放的快慢</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1，共 %2</translation>
    </message>
    <message>
        <source> · step %1</source>
        <translation> · 第 %1 步</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source> (Space)</source>
        <translation>（空格）</translation>
    </message>
    <message>
        <source>moment	speed	playing
</source>
        <translation>时刻	速度	播放中
</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::RunNotesView</name>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>a note at the cursor</source>
        <translation>在光标处写备注</translation>
    </message>
    <message>
        <source>New note</source>
        <translation>新备注</translation>
    </message>
    <message>
        <source>The note is placed at the cursor, or else at the selected action, and on the selected rank; Return adds it</source>
        <translation>备注放在光标处，没有光标时放在所选动作处，并归于所选的 rank；回车添加</translation>
    </message>
    <message>
        <source>Add the note, which is kept in the run file</source>
        <translation>添加备注，备注保存在运行文件中</translation>
    </message>
    <message>
        <source>Add the note</source>
        <translation>添加备注</translation>
    </message>
    <message>
        <source>Remove the chosen note (Delete)</source>
        <translation>移除所选备注（Delete）</translation>
    </message>
    <message>
        <source>Remove the note</source>
        <translation>移除备注</translation>
    </message>
    <message>
        <source>Notes by their moment</source>
        <translation>按时刻排列的备注</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>%1
written %2; double click to change</source>
        <translation>%1
写于 %2；双击可修改</translation>
    </message>
    <message>
        <source>none yet</source>
        <translation>尚无</translation>
    </message>
    <message>
        <source>1 note</source>
        <translation>1 条备注</translation>
    </message>
    <message>
        <source>%1 notes</source>
        <translation>%1 条备注</translation>
    </message>
    <message>
        <source>%1 · saved when the run ends</source>
        <translation>%1 · 运行结束时保存</translation>
    </message>
    <message>
        <source>%1 · in the run file</source>
        <translation>%1 · 在运行文件中</translation>
    </message>
    <message>
        <source>time s	rank	note	written
</source>
        <translation>时间 s	rank	备注	写入时间
</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::ScalesView</name>
    <message>
        <source>%1 · %2 saturated</source>
        <translation>%1 · 饱和 %2</translation>
    </message>
    <message>
        <source>%1 · %2 became 0</source>
        <translation>%1 · 变为 0 %2</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Scales of products in 8 bits</source>
        <translation>8 位乘法的缩放因子</translation>
    </message>
    <message>
        <source>Layer and factor that is drawn</source>
        <translation>所画的层和因子</translation>
    </message>
    <message>
        <source>Choose the factor of a linear layer that is drawn. The worst comes first: the one of which the largest share saturated over all steps, then the one of which most became 0.</source>
        <translation>选择要画出的线性层因子。最差的排在最前：先是所有步中饱和比例最大的，然后是变为 0 最多的。</translation>
    </message>
    <message>
        <source>Show all factors of this step as a table</source>
        <translation>以表格显示该步的所有因子</translation>
    </message>
    <message>
        <source>factor</source>
        <translation>因子</translation>
    </message>
    <message>
        <source>scale</source>
        <translation>缩放因子</translation>
    </message>
    <message>
        <source>saturated</source>
        <translation>饱和</translation>
    </message>
    <message>
        <source>became 0</source>
        <translation>变为 0</translation>
    </message>
    <message>
        <source>most on</source>
        <translation>最多于</translation>
    </message>
    <message>
        <source>Scales of all factors in this step</source>
        <translation>该步所有因子的缩放因子</translation>
    </message>
    <message>
        <source>The scale, on the left, is the smallest that rounded the factor in a step. The dots, on the right, are the shares of the factor&apos;s numbers in that step, of all ranks and microbatches; a step without a dot has none.</source>
        <translation>左轴的缩放因子是一步中对该因子舍入时用过的最小值。右轴的点是该步中该因子的数所占的比例，包含所有 rank 和微批次；没有点的步即没有。</translation>
    </message>
    <message>
        <source>none saturated or became 0</source>
        <translation>没有饱和或变为 0</translation>
    </message>
    <message>
        <source>most on %1</source>
        <translation>最多于 %1</translation>
    </message>
    <message>
        <source>step %1 · %2 · scale %3</source>
        <translation>第 %1 步 · %2 · 缩放因子 %3</translation>
    </message>
    <message>
        <source>
saturated: %1</source>
        <translation>
饱和：%1</translation>
    </message>
    <message>
        <source>
became 0: %1</source>
        <translation>
变为 0：%1</translation>
    </message>
    <message>
        <source>
most on %1</source>
        <translation>
最多于 %1</translation>
    </message>
    <message>
        <source>The trace does not record scales of products in 8 bits.</source>
        <translation>trace 不记录 8 位乘法的缩放因子。</translation>
    </message>
    <message>
        <source>This run ended before its first step was complete.</source>
        <translation>这个运行在完成第一步之前就结束了。</translation>
    </message>
    <message>
        <source>The scales appear with the first complete step.</source>
        <translation>完成第一步后出现缩放因子。</translation>
    </message>
    <message>
        <source>step %1 · scale %2 · %3 saturated · %4 became 0</source>
        <translation>第 %1 步 · 缩放因子 %2 · 饱和 %3 · 变为 0 %4</translation>
    </message>
    <message>
        <source>step	factor	scale	numbers	saturated	became 0	most on
</source>
        <translation>步	因子	缩放因子	数的个数	饱和	变为 0	最多于
</translation>
    </message>
    <message>
        <source>Nothing to show: this run does not round its products to 8 bits.
Set Products to a format of 8 bits in Design, and run.</source>
        <translation>没有可显示的内容：这个运行不把乘法的因子舍入到 8 位。
在“设计”中把“矩阵乘法”设为一种 8 位格式，再运行。</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::ScheduleOutcomes</name>
    <message>
        <source>Set schedule to %1</source>
        <translation>将调度设为 %1</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::SchedulesPlot</name>
    <message>
        <source>not possible: %1</source>
        <translation>不可行：%1</translation>
    </message>
    <message>
        <source>bubble %1 · %2 · %3</source>
        <translation>气泡 %1 · %2 · %3</translation>
    </message>
    <message>
        <source>A double click takes this schedule</source>
        <translation>双击采用此调度</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::SchedulesView</name>
    <message>
        <source>Take this schedule</source>
        <translation>采用此调度</translation>
    </message>
    <message>
        <source>Schedules compared</source>
        <translation>调度比较</translation>
    </message>
    <message>
        <source>Choose …</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Which schedules are compared</source>
        <translation>比较哪些调度</translation>
    </message>
    <message>
        <source>Schedules</source>
        <translation>调度</translation>
    </message>
    <message>
        <source>schedule</source>
        <translation>调度</translation>
    </message>
    <message>
        <source>bubble</source>
        <translation>气泡</translation>
    </message>
    <message>
        <source>peak</source>
        <translation>峰值</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>traffic</source>
        <translation>流量</translation>
    </message>
    <message>
        <source> (now)</source>
        <translation>（当前）</translation>
    </message>
    <message>
        <source>Enter or a double click takes this schedule</source>
        <translation>回车或双击采用此调度</translation>
    </message>
    <message>
        <source>Click a schedule first.</source>
        <translation>请先单击一个调度。</translation>
    </message>
    <message>
        <source>The layout has this schedule already.</source>
        <translation>布局已经使用此调度。</translation>
    </message>
    <message>
        <source>Makes %1 the layout&apos;s schedule, in one step of undo (Enter, or a double click).</source>
        <translation>把 %1 设为布局的调度，可一次撤销（回车或双击）。</translation>
    </message>
    <message>
        <source>one step on %1</source>
        <translation>%1 上的一步</translation>
    </message>
    <message>
        <source>schedule	bubble	peak bytes	step s	traffic bytes	why not
</source>
        <translation>调度	气泡	峰值字节	步时间 s	流量字节	原因
</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::SearchSession</name>
    <message>
        <source>Take candidate %1 %2</source>
        <translation>采用候选 %1 %2</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::SelectedView</name>
    <message>
        <source>Selected action</source>
        <translation>所选动作</translation>
    </message>
    <message>
        <source>nothing: the input from rank %1 had come %2 before</source>
        <translation>无：来自 rank %1 的输入早 %2 已到</translation>
    </message>
    <message>
        <source>nothing: the input from rank %1 came as it began</source>
        <translation>无：来自 rank %1 的输入在它开始时到达</translation>
    </message>
    <message>
        <source>What</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>Rank</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>a step ahead</source>
        <translation>提前一步</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>Belongs to</source>
        <translation>属于</translation>
    </message>
    <message>
        <source>microbatch %1 of %2</source>
        <translation>微批次 %1，共 %2 个</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>The time since the start of the run.</source>
        <translation>自运行开始以来的时间。</translation>
    </message>
    <message>
        <source>The time since the start of the action&apos;s step.</source>
        <translation>自该动作所在步开始以来的时间。</translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation>损失缩放</translation>
    </message>
    <message>
        <source>The loss scale of this step and of the next.</source>
        <translation>这一步和下一步的损失缩放系数。</translation>
    </message>
    <message>
        <source>Scale</source>
        <translation>缩放因子</translation>
    </message>
    <message>
        <source>Numbers</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>In brackets stands how far the measured time is from the predicted one.</source>
        <translation>括号中是实测时间偏离预测时间的程度。</translation>
    </message>
    <message>
        <source>Waited for</source>
        <translation>等待对象</translation>
    </message>
    <message>
        <source>The arrow in the timeline shows where the input came from, whether the action waited for it or not.</source>
        <translation>时间线中的箭头表示输入从哪里来，不论该动作是否等待过它。</translation>
    </message>
    <message>
        <source>Bytes moved</source>
        <translation>搬运字节数</translation>
    </message>
    <message>
        <source>Memory then</source>
        <translation>当时的内存</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>Clock</source>
        <translation>时钟</translation>
    </message>
    <message>
        <source>How far the clock of the rank&apos;s host is ahead of the launcher&apos;s clock, and how uncertain that is. Events are shown on the run&apos;s clock.</source>
        <translation>该 rank 所在主机的时钟比启动器的时钟快多少，以及其不确定度。事件按运行的时钟显示。</translation>
    </message>
    <message>
        <source>Process</source>
        <translation>进程</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>running</source>
        <translation>正在运行</translation>
    </message>
    <message>
        <source>Computing</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>细节</translation>
    </message>
    <message>
        <source>not recorded</source>
        <translation>未记录</translation>
    </message>
    <message>
        <source>The program recorded no details of this step, so that watching takes little of its time.</source>
        <translation>程序没有记录这一步的细节，以使观察只占用它很少的时间。</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Reducing</source>
        <translation>归约</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>Weight versions</source>
        <translation>权重版本</translation>
    </message>
    <message>
        <source>The number of versions held at the same time, the current weights included.</source>
        <translation>同时保留的版本数，包括当前权重。</translation>
    </message>
    <message>
        <source>Largest free block</source>
        <translation>最大空闲块</translation>
    </message>
    <message>
        <source>The arena keeps %1 free for reuse at the end of a step. It reuses whole blocks, so that no block breaks into pieces.</source>
        <translation>一步结束时，内存池留有 %1 可供重用。它重用整块，因此不会产生碎片。</translation>
    </message>
    <message>
        <source>Kept in fewer bits</source>
        <translation>低位数保存</translation>
    </message>
    <message>
        <source>The activations that the forwards of a step keep in fewer bits; at full size they would take %1.</source>
        <translation>一步的前向以较低位数保存的激活值；全精度时需要 %1。</translation>
    </message>
    <message>
        <source>Predicted peak</source>
        <translation>预测峰值</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source> · chunk %1</source>
        <translation> · 模型块 %1</translation>
    </message>
    <message>
        <source>Click an action in the timeline,
or press → in it, to see what it is.</source>
        <translation>在时间线中单击一个动作，
或在其中按 →，即可查看。</translation>
    </message>
    <message>
        <source>nothing: its samples were on this rank</source>
        <translation>无：它的样本就在这个 rank 上</translation>
    </message>
    <message>
        <source>nothing: its input was computed on this rank</source>
        <translation>无：它的输入是在这个 rank 上计算的</translation>
    </message>
    <message>
        <source>Output goes to</source>
        <translation>输出送往</translation>
    </message>
    <message>
        <source>rank %1 · %2</source>
        <translation>rank %1 · %2</translation>
    </message>
    <message>
        <source>Peak in the run</source>
        <translation>整个运行的峰值</translation>
    </message>
    <message>
        <source>The most memory that the rank has held in any step so far.</source>
        <translation>此 rank 到目前为止任何一步中占用的最多内存。</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::SharePanel</name>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Let others watch the runs that start here</source>
        <translation>让他人观看在这里启动的运行</translation>
    </message>
    <message>
        <source>Viewers choose File → Connect …, or type “shardlab watch ADDRESS --token-file FILE” with the token in that file, and see each run from its start. They cannot change the run. The connection is encrypted, and only who has the token can watch: a port alone can be reached from this machine, 0.0.0.0:7000 from every network.</source>
        <translation>观看者选择“文件 → 连接…”，或者把令牌存入文件并键入“shardlab watch ADDRESS --token-file FILE”，即可从头观看每个运行。他们不能改变运行。连接是加密的，只有拿到令牌的人才能观看：只写端口时可以从本机到达，0.0.0.0:7000 则可以从任何网络到达。</translation>
    </message>
    <message>
        <source>[HOST:]PORT</source>
        <translation>[HOST:]PORT</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>made when sharing begins</source>
        <translation>开始共享时生成</translation>
    </message>
    <message>
        <source>Token that viewers need</source>
        <translation>观看者需要的令牌</translation>
    </message>
    <message>
        <source>Copy the token, to give it to those who may watch</source>
        <translation>复制令牌，交给允许观看的人</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>令牌</translation>
    </message>
    <message>
        <source>Stop sharing</source>
        <translation>停止共享</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>共享</translation>
    </message>
    <message>
        <source>The run under way is not shared; the next run will be.</source>
        <translation>正在进行的运行没有共享；下一个运行会共享。</translation>
    </message>
    <message>
        <source>Runs that start from now on are shared.</source>
        <translation>从现在起启动的运行都会共享。</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::SlidersView</name>
    <message>
        <source>Sliders</source>
        <translation>滑块</translation>
    </message>
    <message>
        <source>Microbatches</source>
        <translation>微批次数</translation>
    </message>
    <message>
        <source>With more microbatches each is smaller, since the global batch stays the same.</source>
        <translation>全局批次不变，因此微批次越多，每个越小。</translation>
    </message>
    <message>
        <source>Pipeline</source>
        <translation>流水线</translation>
    </message>
    <message>
        <source>The number of ranks that the layers of a replica are spread over; they are taken from the data axis and given back to it.</source>
        <translation>一个副本的各层分布到多少个 rank；这些 rank 取自数据轴，也归还给数据轴。</translation>
    </message>
    <message>
        <source>Chunks</source>
        <translation>模型块</translation>
    </message>
    <message>
        <source>The number of stages that each pipeline rank holds.</source>
        <translation>每个流水线 rank 持有的阶段数。</translation>
    </message>
    <message>
        <source>The prediction for these values</source>
        <translation>对这些取值的预测</translation>
    </message>
    <message>
        <source>Set %1 to %2</source>
        <translation>将%1设为 %2</translation>
    </message>
    <message>
        <source>Legal: %1.</source>
        <translation>合法取值：%1。</translation>
    </message>
    <message>
        <source>No value is legal: mend the faults first.</source>
        <translation>没有合法取值：请先改正错误。</translation>
    </message>
    <message>
        <source>The schedule %1 has exactly %2.</source>
        <translation>调度 %1 恰好有 %2。</translation>
    </message>
    <message>
        <source>With this model, cluster and batch no other value is legal.</source>
        <translation>对这个模型、集群和批次，没有其他合法取值。</translation>
    </message>
    <message>
        <source>bubble %1 · peak %2</source>
        <translation>气泡 %1 · 峰值 %2</translation>
    </message>
    <message>
        <source>legal values</source>
        <translation>合法取值</translation>
    </message>
    <message>
        <source>what	value	legal
</source>
        <translation>项目	值	合法取值
</translation>
    </message>
    <message>
        <source>mend the faults first</source>
        <translation>请先改正错误</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::StagesEditor</name>
    <message>
        <source>even</source>
        <translation>均分</translation>
    </message>
    <message>
        <source>Balance</source>
        <translation>均衡</translation>
    </message>
    <message>
        <source>Balance stages</source>
        <translation>均衡各阶段</translation>
    </message>
    <message>
        <source>Split the layers so that the slowest stage is as fast as possible</source>
        <translation>划分各层，使最慢的阶段尽可能快</translation>
    </message>
    <message>
        <source>Layers of stage %1</source>
        <translation>阶段 %1 的层数</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::StatusLine</name>
    <message>
        <source>%1 events · %2 dropped · %3 on disk</source>
        <translation>%1 个事件 · 丢失 %2 · 磁盘 %3</translation>
    </message>
    <message>
        <source>, %1 of at most %2 in memory</source>
        <translation>，内存 %1，上限 %2</translation>
    </message>
    <message>
        <source> · shared at %1: %2</source>
        <translation> · 共享于 %1：%2</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Choose what to begin with.</source>
        <translation>选择从什么开始。</translation>
    </message>
    <message>
        <source>Ctrl+R run · Ctrl+Z undo · Ctrl+K commands · ? keys</source>
        <translation>Ctrl+R 运行 · Ctrl+Z 撤销 · Ctrl+K 命令 · ? 快捷键</translation>
    </message>
    <message>
        <source>Enter opens · Tab goes on · F10 menus · Ctrl+K commands · ? keys</source>
        <translation>回车打开 · Tab 前进 · F10 菜单 · Ctrl+K 命令 · ? 快捷键</translation>
    </message>
    <message>
        <source>F fit · W/S zoom · A/D pan · M measure · Ctrl+K commands · ? keys</source>
        <translation>F 适合 · W/S 缩放 · A/D 平移 · M 测量 · Ctrl+K 命令 · ? 快捷键</translation>
    </message>
    <message>
        <source>not saved yet</source>
        <translation>尚未保存</translation>
    </message>
    <message>
        <source>1 fault; the figures are those of the last legal layout</source>
        <translation>1 个错误；数字来自上一个合法布局</translation>
    </message>
    <message>
        <source>%1 faults; the figures are those of the last legal layout</source>
        <translation>%1 个错误；数字来自上一个合法布局</translation>
    </message>
    <message>
        <source>Planning this layout; the figures are those of the last one.</source>
        <translation>正在规划此布局；数字来自上一个布局。</translation>
    </message>
    <message>
        <source>Every figure here is predicted from this layout alone.</source>
        <translation>这里的每个数字都只由此布局预测得出。</translation>
    </message>
    <message>
        <source>Nothing has run yet</source>
        <translation>尚未运行</translation>
    </message>
    <message>
        <source>%1 did not start</source>
        <translation>%1 没有启动</translation>
    </message>
    <message>
        <source>recording %1</source>
        <translation>正在记录 %1</translation>
    </message>
    <message>
        <source>recorded %1</source>
        <translation>已记录 %1</translation>
    </message>
    <message>
        <source>listening at %1: no program has connected yet</source>
        <translation>在 %1 监听：尚无程序连接</translation>
    </message>
    <message>
        <source>listening at %1, recording %2</source>
        <translation>在 %1 监听，正在记录 %2</translation>
    </message>
    <message>
        <source>watched %1, copied to %2</source>
        <translation>观看了 %1，已复制到 %2</translation>
    </message>
    <message>
        <source>connecting to %1</source>
        <translation>正在连接 %1</translation>
    </message>
    <message>
        <source>connection to %1 lost: %2; trying again   </source>
        <translation>与 %1 的连接已断开：%2；正在重试   </translation>
    </message>
    <message>
        <source>watching %1, %2 % of it has arrived</source>
        <translation>正在观看 %1，已到达 %2 %</translation>
    </message>
    <message>
        <source>watching %1, copied to %2</source>
        <translation>正在观看 %1，复制到 %2</translation>
    </message>
    <message>
        <source>running %1 of the lesson “%2”</source>
        <translation>正在运行课程“%2”的 %1</translation>
    </message>
    <message>
        <source>Figures are measured while an experiment runs; the recording is deleted when Shardlab is closed.</source>
        <translation>数字在实验运行时实测；关闭 Shardlab 时删除记录。</translation>
    </message>
    <message>
        <source>importing %1</source>
        <translation>正在导入 %1</translation>
    </message>
    <message>
        <source>importing %1 and %2 more</source>
        <translation>正在导入 %1 及另外 %2 个</translation>
    </message>
    <message>
        <source>No run is open</source>
        <translation>没有打开的运行</translation>
    </message>
    <message>
        <source>reading %1</source>
        <translation>正在读取 %1</translation>
    </message>
    <message>
        <source> · older steps thinned in memory</source>
        <translation> · 较早的步在内存中已抽稀</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::StepOverheadSession</name>
    <message>
        <source>Take %1</source>
        <translation>采用 %1</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::StepPart</name>
    <message>
        <source>Open %1 in Design</source>
        <translation>在“设计”中打开 %1</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Still to do</source>
        <translation>尚未完成</translation>
    </message>
    <message>
        <source>Enter open in Design</source>
        <translation>回车 在“设计”中打开</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::StripDrawing</name>
    <message>
        <source>The experiment&apos;s last step. The steps of all experiments of the lesson are drawn on one time scale.</source>
        <translation>该实验的最后一步。课程中所有实验的步都画在同一时间尺度上。</translation>
    </message>
    <message>
        <source>A step of %1</source>
        <translation>一步，%1</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::TableWindow</name>
    <message>
        <source>%1 as a table</source>
        <translation>%1（表格）</translation>
    </message>
    <message>
        <source>filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Show only rows with this text</source>
        <translation>只显示包含此文字的行</translation>
    </message>
    <message>
        <source>Copy all</source>
        <translation>全部复制</translation>
    </message>
    <message>
        <source>Copy the whole table, with tabs between the cells</source>
        <translation>复制整个表格，单元格之间用制表符分隔</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::TextPart</name>
    <message>
        <source>Text of the lesson</source>
        <translation>课程正文</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::TimePlot</name>
    <message>
        <source>Zoom out to all</source>
        <translation>缩小到全部</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::TimelineTools</name>
    <message>
        <source>Previous event found</source>
        <translation>上一个找到的事件</translation>
    </message>
    <message>
        <source>Go to the previous event that was found (Shift+F3)</source>
        <translation>到上一个找到的事件（Shift+F3）</translation>
    </message>
    <message>
        <source>Next event found</source>
        <translation>下一个找到的事件</translation>
    </message>
    <message>
        <source>Go to the next event that was found (F3)</source>
        <translation>到下一个找到的事件（F3）</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Previous slow step</source>
        <translation>上一个慢步</translation>
    </message>
    <message>
        <source>Next slow step</source>
        <translation>下一个慢步</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>固定</translation>
    </message>
    <message>
        <source>Pin the rank</source>
        <translation>固定 rank</translation>
    </message>
    <message>
        <source>Keep the selected rank at the top (P)</source>
        <translation>把所选的 rank 保持在顶部（P）</translation>
    </message>
    <message>
        <source>find: 3F7, wait rank 2, B &gt; 5 ms</source>
        <translation>查找：3F7, wait rank 2, B &gt; 5 ms</translation>
    </message>
    <message>
        <source>Find events</source>
        <translation>查找事件</translation>
    </message>
    <message>
        <source>Search for actions (3F7, F7, 3B), kinds (wait, send forward), rank 0-3, places (pp1), step 12, stage 2, mb 7, &gt; 5 ms; an event must match every word. Return goes to the next event, Shift+Return to the previous one.</source>
        <translation>按动作（3F7、F7、3B）、类别（wait、send forward）、rank 0-3、位置（pp1）、step 12、stage 2、mb 7、&gt; 5 ms 搜索；事件必须符合每一个词。回车到下一个事件，Shift+回车到上一个。</translation>
    </message>
    <message>
        <source>Step in sight</source>
        <translation>当前可见的步</translation>
    </message>
    <message>
        <source>Go to a step (Ctrl+G)</source>
        <translation>转到某一步（Ctrl+G）</translation>
    </message>
    <message>
        <source>Group ranks</source>
        <translation>rank 分组</translation>
    </message>
    <message>
        <source>Put ranks with the same position on this axis of the mesh together (G)</source>
        <translation>把网格中此轴坐标相同的 rank 放在一起（G）</translation>
    </message>
    <message>
        <source>ungrouped</source>
        <translation>不分组</translation>
    </message>
    <message>
        <source>by %1</source>
        <translation>按%1</translation>
    </message>
    <message>
        <source>not understood</source>
        <translation>无法理解</translation>
    </message>
    <message>
        <source>…</source>
        <translation>…</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1，共 %2</translation>
    </message>
    <message>
        <source>The first %1 are marked</source>
        <translation>已标出前 %1 个</translation>
    </message>
    <message>
        <source>1 slow</source>
        <translation>1 个慢步</translation>
    </message>
    <message>
        <source>%1 slow</source>
        <translation>%1 个慢步</translation>
    </message>
    <message>
        <source>Slow: more than %1 % longer than the median step, %2</source>
        <translation>慢步：比中位数步长 %1 % 以上，%2</translation>
    </message>
    <message>
        <source>Go to the previous slow step (Alt+,)</source>
        <translation>到上一个慢步（Alt+,）</translation>
    </message>
    <message>
        <source>Go to the next slow step (Alt+.)</source>
        <translation>到下一个慢步（Alt+.）</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::TimelineView</name>
    <message>
        <source>kernel or operation</source>
        <translation>内核或运算</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>collective</source>
        <translation>集合通信</translation>
    </message>
    <message>
        <source>copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>annotation</source>
        <translation>标注</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>跟随</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>测量</translation>
    </message>
    <message>
        <source>Path</source>
        <translation>路径</translation>
    </message>
    <message>
        <source>Fold</source>
        <translation>折叠</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Timeline of ranks. W S zoom, A D pan, F fit, M measure, P pin, slash find, arrows walk the selection</source>
        <translation>各 rank 的时间线。W S 缩放，A D 平移，F 适合，M 测量，P 固定，斜杠查找，方向键移动选择</translation>
    </message>
    <message>
        <source>ranks: 0-3, pp1</source>
        <translation>rank：0-3, pp1</translation>
    </message>
    <message>
        <source>Show only these ranks</source>
        <translation>只显示这些 rank</translation>
    </message>
    <message>
        <source>Ranks to show: numbers (0-3, 8) and places in the mesh (pp1, dp0)</source>
        <translation>要显示的 rank：编号（0-3, 8）和网格中的位置（pp1, dp0）</translation>
    </message>
    <message>
        <source>Keep the newest events in sight</source>
        <translation>保持显示最新的事件</translation>
    </message>
    <message>
        <source>Drag to measure a stretch of time (M, or Shift+drag)</source>
        <translation>拖动以测量一段时间（M，或 Shift+拖动）</translation>
    </message>
    <message>
        <source>Draw the chain of actions that decides how long the predicted step takes (C)</source>
        <translation>画出决定预测步耗时的那一串动作（C）</translation>
    </message>
    <message>
        <source>Critical path</source>
        <translation>关键路径</translation>
    </message>
    <message>
        <source>Give ranks that do the same one row (U); a click on the name of such a row unfolds it alone</source>
        <translation>工作相同的 rank 合为一行（U）；单击这样一行的名称可单独展开</translation>
    </message>
    <message>
        <source>Fold ranks that are alike</source>
        <translation>折叠相同的 rank</translation>
    </message>
    <message>
        <source>Find events, go to steps, group and pin ranks (/)</source>
        <translation>查找事件、转到某一步、对 rank 分组和固定（/）</translation>
    </message>
    <message>
        <source>Find events and steps</source>
        <translation>查找事件和步</translation>
    </message>
    <message>
        <source>F forward</source>
        <translation>F 前向</translation>
    </message>
    <message>
        <source>B backward</source>
        <translation>B 反向</translation>
    </message>
    <message>
        <source>I input grad</source>
        <translation>I 输入梯度</translation>
    </message>
    <message>
        <source>W weight grad</source>
        <translation>W 权重梯度</translation>
    </message>
    <message>
        <source>R recompute</source>
        <translation>R 重计算</translation>
    </message>
    <message>
        <source>comm</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>host copy</source>
        <translation>主机复制</translation>
    </message>
    <message>
        <source>checkpoint</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>bubble</source>
        <translation>气泡</translation>
    </message>
    <message>
        <source>one step, predicted · %1 · bubble %2</source>
        <translation>一步，预测 · %1 · 气泡 %2</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
    <message>
        <source>step %1 → %2</source>
        <translation>第 %1 步 → %2</translation>
    </message>
    <message>
        <source>no step in sight</source>
        <translation>没有可见的步</translation>
    </message>
    <message>
        <source> · from %1</source>
        <translation> · 来自 %1</translation>
    </message>
    <message>
        <source> · predicted (thin, above) over measured</source>
        <translation> · 预测（上方细条）与实测</translation>
    </message>
    <message>
        <source> · thinned to %1: only figures are left of %2 (faint)</source>
        <translation> · 精简到 %1：%2（淡色）只剩指标</translation>
    </message>
    <message>
        <source> · details of %1 of %2 steps, so that watching takes little of the program&apos;s time</source>
        <translation> · %2 步中有 %1 步的细节，以使观察只占用程序很少的时间</translation>
    </message>
    <message>
        <source>Zoom to this action</source>
        <translation>缩放到此动作</translation>
    </message>
    <message>
        <source>Measure this action</source>
        <translation>测量此动作</translation>
    </message>
    <message>
        <source>Copy what it is</source>
        <translation>复制其内容</translation>
    </message>
    <message>
        <source>Zoom out to all</source>
        <translation>缩小到全部</translation>
    </message>
    <message>
        <source>rank	place	lane	action	what	step	begin ms	duration ms	predicted ms	bytes
</source>
        <translation>rank	位置	通道	动作	内容	步	开始 ms	持续 ms	预测 ms	字节
</translation>
    </message>
    <message>
        <source>%1	…	%2	%3 more, zoom in to see them
</source>
        <translation>%1	…	%2	还有 %3 个，放大可见
</translation>
    </message>
    <message>
        <source> · no details of these steps, the nearest ones are of step %1</source>
        <translation> · 这些步没有细节，最近的细节在第 %1 步</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::TopBar</name>
    <message>
        <source>Home</source>
        <translation>主页</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>布局</translation>
    </message>
    <message>
        <source>Degrees</source>
        <translation>并行度</translation>
    </message>
    <message>
        <source>Cluster</source>
        <translation>集群</translation>
    </message>
    <message>
        <source>Reading the run file</source>
        <translation>正在读取运行文件</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Export for …</source>
        <translation>导出给…</translation>
    </message>
    <message>
        <source>Show this layout as the configuration of another trainer, and save it</source>
        <translation>把此布局显示为其他训练框架的配置并保存</translation>
    </message>
    <message>
        <source>from another program</source>
        <translation>来自其他程序</translation>
    </message>
    <message>
        <source>Changed since it was saved</source>
        <translation>保存后有更改</translation>
    </message>
    <message>
        <source>1 rank</source>
        <translation>1 个 rank</translation>
    </message>
    <message>
        <source>%1 ranks</source>
        <translation>%1 个 rank</translation>
    </message>
    <message>
        <source>Importing traces</source>
        <translation>正在导入 trace</translation>
    </message>
    <message>
        <source>connection lost · </source>
        <translation>连接已断开 · </translation>
    </message>
    <message>
        <source>%1%2 of %3 steps</source>
        <translation>%1%2 步，共 %3 步</translation>
    </message>
    <message>
        <source>%1%2 steps</source>
        <translation>%1%2 步</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::TrafficMatrixView</name>
    <message>
        <source>Traffic from rank to rank</source>
        <translation>rank 之间的流量</translation>
    </message>
    <message>
        <source>All traffic</source>
        <translation>全部流量</translation>
    </message>
    <message>
        <source>Messages</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Collectives</source>
        <translation>集合通信</translation>
    </message>
    <message>
        <source>Which traffic</source>
        <translation>哪种流量</translation>
    </message>
    <message>
        <source>Messages between stages, or collectives, counted as a ring carries them</source>
        <translation>阶段之间的消息，或按环形传递计算的集合通信</translation>
    </message>
    <message>
        <source>%1 a step, predicted</source>
        <translation>每步 %1，预测</translation>
    </message>
    <message>
        <source>%1 a step</source>
        <translation>每步 %1</translation>
    </message>
    <message>
        <source>from rank	to rank	messages bytes a step	collectives bytes a step	sends a step
</source>
        <translation>源 rank	目标 rank	每步消息字节	每步集合通信字节	每步发送次数
</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::TrafficView</name>
    <message>
        <source>Crosses the %1 axis once a step</source>
        <translation>每步沿%1轴传递一次</translation>
    </message>
    <message>
        <source>No rank sends anything to another</source>
        <translation>没有 rank 之间的传输</translation>
    </message>
    <message>
        <source>all ranks</source>
        <translation>所有 rank</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::View</name>
    <message>
        <source>Planning this layout …</source>
        <translation>正在规划此布局…</translation>
    </message>
    <message>
        <source>No prediction: this layout has faults.
Mend the marked fields.</source>
        <translation>没有预测：此布局有错误。
请改正标出的字段。</translation>
    </message>
    <message>
        <source>Nothing has run yet.
Press Run this layout (Ctrl+R).</source>
        <translation>尚未运行。
请按“运行此布局”（Ctrl+R）。</translation>
    </message>
    <message>
        <source>No run is open.
Open a recorded run (Ctrl+O), or drop a .shardlab file here.</source>
        <translation>没有打开的运行。
打开一个已记录的运行（Ctrl+O），或把 .shardlab 文件拖到这里。</translation>
    </message>
    <message>
        <source>No experiment is chosen.
Choose a lesson, and one of its experiments.</source>
        <translation>没有选择实验。
请选择一课及其中一个实验。</translation>
    </message>
    <message>
        <source>This run comes from another program (%1).
%2</source>
        <translation>这个运行来自其他程序（%1）。
%2</translation>
    </message>
    <message>
        <source>Guess first, or run it: the prediction
would give away what the lesson asks.</source>
        <translation>先猜一猜，或者运行它：预测
会透露课程所问的内容。</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::WaterfallBars</name>
    <message>
        <source>Where the time of a step goes</source>
        <translation>一步的时间花在哪里</translation>
    </message>
    <message>
        <source>%1: %2, %3 of the step
%4</source>
        <translation>%1：%2，占这一步的 %3
%4</translation>
    </message>
    <message>
        <source>the step</source>
        <translation>整步</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::WaterfallView</name>
    <message>
        <source>Waterfall</source>
        <translation>瀑布图</translation>
    </message>
    <message>
        <source>one step, %1 · %2 at peak</source>
        <translation>一步，%1 · 峰值计算 %2</translation>
    </message>
    <message>
        <source>A legal layout shows here where the time of its step goes.</source>
        <translation>布局合法时，这里显示一步的时间花在哪里。</translation>
    </message>
    <message>
        <source>part	seconds	of the step	what it is
</source>
        <translation>部分	秒	占一步	含义
</translation>
    </message>
    <message>
        <source>none yet			
</source>
        <translation>尚无			
</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::WhatIfPart</name>
    <message>
        <source>Go to the nearest legal</source>
        <translation>到最近的合法位置</translation>
    </message>
    <message>
        <source>Open in Design</source>
        <translation>在“设计”中打开</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Take this layout into Design, where every field of it can be changed; Ctrl+Z undoes that</source>
        <translation>把这个布局带到“设计”，在那里可以修改它的每个字段；Ctrl+Z 撤销</translation>
    </message>
    <message>
        <source>The numbers of the picture</source>
        <translation>图里的数字</translation>
    </message>
    <message>
        <source>This is shown once the questions about %1 are answered, which it would give away.</source>
        <translation>回答了关于 %1 的问题之后才显示，因为这里会泄露答案。</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Enter show</source>
        <translation>回车 显示</translation>
    </message>
    <message>
        <source>↑ ↓ move the slider</source>
        <translation>↑ ↓ 移动滑块</translation>
    </message>
    <message>
        <source>Enter the nearest legal</source>
        <translation>回车 移到最近的合法位置</translation>
    </message>
    <message>
        <source>Enter the other slider</source>
        <translation>回车 换到另一个滑块</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::WholeRunForm</name>
    <message>
        <source>Tokens</source>
        <translation>Token 数</translation>
    </message>
    <message>
        <source>To train on, 15.6e12 say; empty: nothing is asked</source>
        <translation>训练所用的 token 数，例如 15.6e12；留空：不询问</translation>
    </message>
    <message>
        <source>Price of a device&apos;s hour</source>
        <translation>设备每小时价格</translation>
    </message>
    <message>
        <source>In any currency; empty: no cost is told</source>
        <translation>任意货币；留空：不给出成本</translation>
    </message>
    <message>
        <source>Hours between a device&apos;s failures</source>
        <translation>单个设备的故障间隔小时数</translation>
    </message>
    <message>
        <source>In the mean, with those of hosts and links; empty: nothing fails</source>
        <translation>平均值，包括主机和链路的故障；留空：不发生故障</translation>
    </message>
    <message>
        <source>Seconds of a checkpoint</source>
        <translation>检查点秒数</translation>
    </message>
    <message>
        <source>In which nothing trains</source>
        <translation>其间不训练</translation>
    </message>
    <message>
        <source>Seconds of a restart</source>
        <translation>重启秒数</translation>
    </message>
    <message>
        <source>From a failure until training goes on</source>
        <translation>从故障到继续训练</translation>
    </message>
    <message>
        <source>Seconds between checkpoints</source>
        <translation>检查点间隔秒数</translation>
    </message>
    <message>
        <source>Of work; empty: the best</source>
        <translation>以工作时间计；留空：取最佳值</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::WordSetEditor</name>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>%1: on</source>
        <translation>%1：启用</translation>
    </message>
    <message>
        <source>%1: off</source>
        <translation>%1：不启用</translation>
    </message>
</context>
<context>
    <name>shardlab::ui::Workbench</name>
    <message>
        <source>No layout is legal for this model, cluster and batch</source>
        <translation>对这个模型、集群和批次，没有合法的布局</translation>
    </message>
    <message>
        <source>The run did not start</source>
        <translation>运行没有启动</translation>
    </message>
    <message>
        <source>Cannot read %1</source>
        <translation>无法读取 %1</translation>
    </message>
    <message>
        <source>it is neither a layout (JSON), a run (.shardlab) nor a trace</source>
        <translation>它既不是布局（JSON）、运行（.shardlab），也不是 trace</translation>
    </message>
    <message>
        <source>a layout begins with {, and no trace format or configuration of another trainer that Shardlab reads looks like this file</source>
        <translation>布局以 { 开头，而 Shardlab 能读取的 trace 格式或其他训练框架的配置都与此文件不符</translation>
    </message>
    <message>
        <source>Cannot open %1</source>
        <translation>无法打开 %1</translation>
    </message>
    <message>
        <source>Parts of %1 were not understood; these fields have their default values</source>
        <translation>%1 中有些部分无法理解；这些字段取默认值</translation>
    </message>
    <message>
        <source>Nothing was imported</source>
        <translation>没有导入任何内容</translation>
    </message>
    <message>
        <source>Cannot import %1</source>
        <translation>无法导入 %1</translation>
    </message>
    <message>
        <source>The import was cancelled; no run was made</source>
        <translation>导入已取消；没有生成运行</translation>
    </message>
    <message>
        <source>cannot make the folder for runs</source>
        <translation>无法创建存放运行的文件夹</translation>
    </message>
    <message>
        <source>Cannot save %1</source>
        <translation>无法保存 %1</translation>
    </message>
    <message>
        <source>The layout leaves out some of what %1 says</source>
        <translation>布局没有包含 %1 中的部分内容</translation>
    </message>
    <message>
        <source>Nothing was measured</source>
        <translation>没有测量任何内容</translation>
    </message>
    <message>
        <source>This layout cannot be measured</source>
        <translation>无法测量此布局</translation>
    </message>
    <message>
        <source>Measuring this machine</source>
        <translation>正在测量本机</translation>
    </message>
    <message>
        <source>%1; the measurement takes some seconds, and no other program should run meanwhile</source>
        <translation>%1；测量需要几秒钟，期间不应运行其他程序</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>This machine was measured: predictions for this model now use the measured times</source>
        <translation>已测量本机：对此模型的预测现在使用实测时间</translation>
    </message>
    <message>
        <source>Measuring was cancelled; nothing was kept</source>
        <translation>测量已取消；没有保留结果</translation>
    </message>
    <message>
        <source>This machine was not measured</source>
        <translation>本机没有测量</translation>
    </message>
    <message>
        <source>This layout cannot run</source>
        <translation>此布局无法运行</translation>
    </message>
    <message>
        <source>To reach the other hosts, the layout asks for this program to be started. Start it?</source>
        <translation>为连接其他主机，布局要求启动这个程序。启动吗？</translation>
    </message>
    <message>
        <source>Start it once</source>
        <translation>启动一次</translation>
    </message>
    <message>
        <source>Start it, and remember</source>
        <translation>启动并记住</translation>
    </message>
    <message>
        <source>A run is under way here: stop it before you watch another one.</source>
        <translation>这里有一个运行正在进行：请先停止它，再观看另一个。</translation>
    </message>
    <message>
        <source>Shardlab is listening for a program: stop listening before you watch another run.</source>
        <translation>Shardlab 正在监听程序：请先停止监听，再观看另一个运行。</translation>
    </message>
    <message>
        <source>A run is being watched: disconnect from it before you watch another one.</source>
        <translation>正在观看一个运行：请先断开连接，再观看另一个。</translation>
    </message>
    <message>
        <source>Not connected</source>
        <translation>未连接</translation>
    </message>
    <message>
        <source>Not listening</source>
        <translation>未监听</translation>
    </message>
    <message>
        <source>Listening at %1 for a program that says “import shardlab”</source>
        <translation>在 %1 监听使用“import shardlab”的程序</translation>
    </message>
    <message>
        <source>Copy the command</source>
        <translation>复制命令</translation>
    </message>
    <message>
        <source>The watched run is still shown but no longer copied</source>
        <translation>仍显示所观看的运行，但不再复制</translation>
    </message>
    <message>
        <source>Watching %1 has ended</source>
        <translation>对 %1 的观看已结束</translation>
    </message>
    <message>
        <source>Cannot watch %1</source>
        <translation>无法观看 %1</translation>
    </message>
    <message>
        <source>The program ended before its run was complete</source>
        <translation>程序在运行完成之前就结束了</translation>
    </message>
    <message>
        <source>The program finished</source>
        <translation>程序已完成</translation>
    </message>
    <message>
        <source>The watched run failed</source>
        <translation>所观看的运行失败</translation>
    </message>
    <message>
        <source>The watched run was stopped</source>
        <translation>所观看的运行已被停止</translation>
    </message>
    <message>
        <source>The watched run finished</source>
        <translation>所观看的运行已完成</translation>
    </message>
    <message>
        <source>A run is under way. Stop it or wait for its end: two runs at once would slow each other down.</source>
        <translation>有一个运行正在进行。请停止它或等它结束：同时进行两个运行会相互拖慢。</translation>
    </message>
    <message>
        <source>This machine is being measured; wait for the end of the measurement.</source>
        <translation>正在测量本机；请等测量结束。</translation>
    </message>
    <message>
        <source>The experiment did not start</source>
        <translation>实验没有启动</translation>
    </message>
    <message>
        <source>The experiment %1 of a lesson is running: two runs at once would slow each other down.</source>
        <translation>课程的实验 %1 正在运行：同时进行两个运行会相互拖慢。</translation>
    </message>
    <message>
        <source>Stop the experiment</source>
        <translation>停止实验</translation>
    </message>
    <message>
        <source>Resume from step %1</source>
        <translation>从第 %1 步继续</translation>
    </message>
    <message>
        <source>This run failed</source>
        <translation>这个运行失败</translation>
    </message>
    <message>
        <source>Checkpoints of this run failed</source>
        <translation>这个运行的检查点失败</translation>
    </message>
    <message>
        <source>; %1 entries were not understood: the view Events lists them by kind</source>
        <translation>；%1 个条目无法理解：“事件”视图按类别列出</translation>
    </message>
    <message>
        <source>Imported %1</source>
        <translation>已导入 %1</translation>
    </message>
    <message>
        <source>Open in Replay</source>
        <translation>在“回放”中打开</translation>
    </message>
    <message>
        <source>Shrink to this machine</source>
        <translation>缩小到本机</translation>
    </message>
    <message>
        <source>The run failed</source>
        <translation>运行失败</translation>
    </message>
    <message>
        <source>The run was stopped</source>
        <translation>运行已被停止</translation>
    </message>
    <message>
        <source>The run finished</source>
        <translation>运行已完成</translation>
    </message>
    <message>
        <source>This design is for %1, %2</source>
        <translation>这个设计面向 %1，%2</translation>
    </message>
    <message>
        <source>another host</source>
        <translation>另一台主机</translation>
    </message>
    <message>
        <source>%1 other hosts</source>
        <translation>另外 %1 台主机</translation>
    </message>
    <message>
        <source>A smaller twin with the same schedule trains on this machine. A run of the design itself calls those hosts by ssh.</source>
        <translation>调度相同的缩小版可在本机训练。运行这个设计本身则会通过 ssh 调用那些主机。</translation>
    </message>
    <message>
        <source>Run on those hosts</source>
        <translation>在那些主机上运行</translation>
    </message>
    <message>
        <source>The design was not shrunk</source>
        <translation>设计没有缩小</translation>
    </message>
    <message>
        <source>This twin of the design trains on this machine; Ctrl+Z takes the design back</source>
        <translation>这个设计的缩小版在本机训练；Ctrl+Z 恢复原设计</translation>
    </message>
    <message>
        <source>Compare with the layout “%1”</source>
        <translation>与布局“%1”比较</translation>
    </message>
    <message>
        <source>Cannot read these dumps together</source>
        <translation>这些转储不能放在一起读取</translation>
    </message>
    <message>
        <source>Copy the report</source>
        <translation>复制报告</translation>
    </message>
    <message>
        <source>Open the layout of its arguments</source>
        <translation>打开其参数对应的布局</translation>
    </message>
    <message>
        <source>Plan for which cluster?</source>
        <translation>为哪个集群规划？</translation>
    </message>
    <message>
        <source>The layout of %1 is predicted for this machine</source>
        <translation>%1 的布局按本机预测</translation>
    </message>
    <message>
        <source>%1 was saved</source>
        <translation>已保存 %1</translation>
    </message>
</context>
<context>
    <name>tables</name>
    <message>
        <source>only where blocks are not computed again</source>
        <translation>仅在块不重计算时</translation>
    </message>
    <message>
        <source>only where samples are text: those of cnn are images</source>
        <translation>仅在样本为文本时：cnn 的样本是图像</translation>
    </message>
    <message>
        <source>only where some of the data is kept for validation</source>
        <translation>仅在留有验证数据时</translation>
    </message>
    <message>
        <source>only where text is read, not tokens or images</source>
        <translation>仅在读取文本而非 token 或图像时</translation>
    </message>
    <message>
        <source>only where the learning rate falls</source>
        <translation>仅在学习率下降时</translation>
    </message>
    <message>
        <source>only where tokens choose: experts that choose are full</source>
        <translation>仅在由 token 选择专家时：由专家选择时，专家总是满的</translation>
    </message>
    <message>
        <source>only where segments keep nothing but their inputs: not with recompute operations</source>
        <translation>仅在各段只保留其输入时：不能与 recompute operations 同用</translation>
    </message>
    <message>
        <source>only with ZeRO 0 or 1: 2 and 3 go layer by layer</source>
        <translation>仅用于 ZeRO 0 或 1：2 和 3 逐层进行</translation>
    </message>
    <message>
        <source>only with ZeRO 3</source>
        <translation>仅用于 ZeRO 3</translation>
    </message>
    <message>
        <source>only with ZeRO and several data ranks</source>
        <translation>仅在使用 ZeRO 且有多个数据并行 rank 时</translation>
    </message>
    <message>
        <source>only with a context group, and attention in it</source>
        <translation>仅在有上下文组且模型有注意力时</translation>
    </message>
    <message>
        <source>only with a dynamic loss scale</source>
        <translation>仅在采用动态损失缩放时</translation>
    </message>
    <message>
        <source>only with a schedule that flushes</source>
        <translation>仅用于会排空的调度</translation>
    </message>
    <message>
        <source>only with a size limit</source>
        <translation>仅在有大小上限时</translation>
    </message>
    <message>
        <source>only with a static or dynamic loss scale</source>
        <translation>仅在采用静态或动态损失缩放时</translation>
    </message>
    <message>
        <source>only with a window that is shorter than the sequence</source>
        <translation>仅在窗口小于序列长度时</translation>
    </message>
    <message>
        <source>only with adafactor</source>
        <translation>仅用于 adafactor</translation>
    </message>
    <message>
        <source>only with adamw or adamw-8bit</source>
        <translation>仅用于 adamw 或 adamw-8bit</translation>
    </message>
    <message>
        <source>only with attention: mlp and cnn have none</source>
        <translation>仅在有注意力时：mlp 和 cnn 没有</translation>
    </message>
    <message>
        <source>only with data of kind jsonl</source>
        <translation>仅在数据类型为 jsonl 时</translation>
    </message>
    <message>
        <source>only with data of kind jsonl or tokens: what others read has no documents</source>
        <translation>仅在数据类型为 jsonl 或 tokens 时：其他类型的数据没有文档</translation>
    </message>
    <message>
        <source>only with data of kind text, jsonl or tokens</source>
        <translation>仅在数据类型为 text、jsonl 或 tokens 时</translation>
    </message>
    <message>
        <source>only with experts in a tensor group</source>
        <translation>仅在张量组中有专家时</translation>
    </message>
    <message>
        <source>only with fp16 or bf16</source>
        <translation>仅用于 fp16 或 bf16</translation>
    </message>
    <message>
        <source>only with gates that choose several experts</source>
        <translation>仅用于选择多个专家的门控</translation>
    </message>
    <message>
        <source>only with hosts other than this machine</source>
        <translation>仅在有本机之外的主机时</translation>
    </message>
    <message>
        <source>only with latent attention: with a model.kv_rank above 0</source>
        <translation>仅在使用潜在注意力时，即 model.kv_rank 大于 0</translation>
    </message>
    <message>
        <source>only with models whose blocks have linear layers</source>
        <translation>仅用于块中有线性层的模型</translation>
    </message>
    <message>
        <source>only with products in fp8 and delayed scaling</source>
        <translation>仅在矩阵乘法用 fp8 且采用延迟缩放时</translation>
    </message>
    <message>
        <source>only with products in fp8, whose tensors have a scale each</source>
        <translation>仅在矩阵乘法用 fp8 时：其每个张量有一个缩放因子</translation>
    </message>
    <message>
        <source>only with recompute every</source>
        <translation>仅在重计算方式为 every 时</translation>
    </message>
    <message>
        <source>only with rotary positions, as llama has them</source>
        <translation>仅在使用旋转位置编码时，如 llama</translation>
    </message>
    <message>
        <source>only with schedules of several chunks: this one fixes them</source>
        <translation>仅用于模型块数可变的调度：当前调度的模型块数是固定的</translation>
    </message>
    <message>
        <source>only with schedules that take a limit: zb-greedy</source>
        <translation>仅用于可设上限的调度：zb-greedy</translation>
    </message>
    <message>
        <source>only with several replicas</source>
        <translation>仅在有多个副本时</translation>
    </message>
    <message>
        <source>only with several replicas, or on one rank</source>
        <translation>仅在有多个副本或只有一个 rank 时</translation>
    </message>
    <message>
        <source>only with several stages, none of which is listed in schedule.stages</source>
        <translation>仅在有多个阶段且 schedule.stages 未列出各阶段时</translation>
    </message>
    <message>
        <source>only with sgd or sm3</source>
        <translation>仅用于 sgd 或 sm3</translation>
    </message>
    <message>
        <source>only with steps between checkpoints</source>
        <translation>仅在设有检查点间隔时</translation>
    </message>
    <message>
        <source>only with tensor parallelism</source>
        <translation>仅在使用张量并行时</translation>
    </message>
    <message>
        <source>only with the RoPE scaling llama3 or yarn</source>
        <translation>仅在 RoPE 缩放为 llama3 或 yarn 时</translation>
    </message>
    <message>
        <source>only with the exchange allreduce</source>
        <translation>仅在交换方式为 allreduce 时</translation>
    </message>
    <message>
        <source>only with the exchange allreduce or server</source>
        <translation>仅在交换方式为 allreduce 或 server 时</translation>
    </message>
    <message>
        <source>only with the exchange easgd</source>
        <translation>仅在交换方式为 easgd 时</translation>
    </message>
    <message>
        <source>only with the gate capped-expert-choice</source>
        <translation>仅用于 capped-expert-choice 门控</translation>
    </message>
    <message>
        <source>only with the gates hierarchical and sigmoid-in-groups</source>
        <translation>仅用于 hierarchical 和 sigmoid-in-groups 门控</translation>
    </message>
    <message>
        <source>only with the gates sigmoid-top-k and sigmoid-in-groups</source>
        <translation>仅用于 sigmoid-top-k 和 sigmoid-in-groups 门控</translation>
    </message>
    <message>
        <source>only with the model cnn</source>
        <translation>仅用于模型 cnn</translation>
    </message>
    <message>
        <source>only with the models gpt, llama and llama-moe</source>
        <translation>仅用于模型 gpt、llama 和 llama-moe</translation>
    </message>
    <message>
        <source>only with the models gpt-moe and llama-moe</source>
        <translation>仅用于模型 gpt-moe 和 llama-moe</translation>
    </message>
    <message>
        <source>only with the schedule custom</source>
        <translation>仅用于调度 custom</translation>
    </message>
    <message>
        <source>only with the schedule pipedream</source>
        <translation>仅用于调度 pipedream</translation>
    </message>
    <message>
        <source>only with the tokenizers gpt2 and tokenizer.json</source>
        <translation>仅用于分词器 gpt2 和 tokenizer.json</translation>
    </message>
    <message>
        <source>only with weights in 16 bits: gradients of fp32 weights are fp32</source>
        <translation>仅在权重为 16 位时：fp32 权重的梯度是 fp32</translation>
    </message>
    <message>
        <source>only without latent attention, whose heads have keys of their own</source>
        <translation>仅在不使用潜在注意力时：其各头有自己的键</translation>
    </message>
    <message>
        <source>only without sequence parallelism, which splits these inputs anyway</source>
        <translation>仅在不使用序列并行时：序列并行本来就切分这些输入</translation>
    </message>
    <message>
        <source>only in transformers: cnn drops nothing</source>
        <translation>仅用于 transformer：cnn 不使用 dropout</translation>
    </message>
    <message>
        <source>only in transformers: cnn has no feed-forward blocks</source>
        <translation>仅用于 transformer：cnn 没有前馈块</translation>
    </message>
    <message>
        <source>Fields of a layout</source>
        <translation>布局的字段</translation>
    </message>
    <message>
        <source>Every field of a layout file, with what is legal and its default. `shardlab layouts --fields` prints the same, `shardlab layouts --schema` a JSON Schema, with which editors complete and check layout files. This page is made from the table of fields.</source>
        <translation>布局文件的每个字段，以及合法取值和默认值。`shardlab layouts --fields` 用英文打印同样的内容，`shardlab layouts --schema` 打印 JSON Schema，编辑器可以据此补全和检查布局文件。本页由字段表生成。</translation>
    </message>
    <message>
        <source>a list of numbers</source>
        <translation>数的列表</translation>
    </message>
    <message>
        <source>a list of texts</source>
        <translation>文本的列表</translation>
    </message>
    <message>
        <source>a list of whole numbers</source>
        <translation>整数的列表</translation>
    </message>
    <message>
        <source>a list of {&quot;name&quot;: …, &quot;devices&quot;: …}, with devices</source>
        <translation>{&quot;name&quot;: …, &quot;devices&quot;: …} 的列表，devices 为整数</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>数</translation>
    </message>
    <message>
        <source>a text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>整数</translation>
    </message>
    <message>
        <source>an object with the fields below, or null for a run at full speed</source>
        <translation>含有下列字段的对象；null 表示全速运行</translation>
    </message>
    <message>
        <source>true or false</source>
        <translation>true 或 false</translation>
    </message>
    <message>
        <source>{} from {} to {}</source>
        <translation>{}，{} 到 {}</translation>
    </message>
    <message>
        <source>{}; {}</source>
        <translation>{}（{}）</translation>
    </message>
    <message>
        <source>`{}`: {}. Default: `{}`. {}</source>
        <translation>`{}`：{}。默认值：`{}`。{}</translation>
    </message>
    <message>
        <source>1F1B with flush</source>
        <translation>带排空的 1F1B</translation>
    </message>
    <message>
        <source>1f1b-4 that keeps only each block&apos;s input and computes the rest again in the backward: a fraction of the activations for a third more work</source>
        <translation>只保留每个块的输入、其余在反向中重新计算的 1f1b-4：激活值只剩一小部分，计算多三分之一</translation>
    </message>
    <message>
        <source>A checkpoint before the first step, of the weights that training begins with. It stays beside the newest ones.</source>
        <translation>在第一步之前保存训练起始权重的检查点。它与最新的检查点一起保留。</translation>
    </message>
    <message>
        <source>A microbatch uses one weight version in all stages, at the price of more stashed versions; for pipedream.</source>
        <translation>一个微批次在所有阶段使用同一个权重版本，代价是暂存更多版本；用于 pipedream。</translation>
    </message>
    <message>
        <source>Activation</source>
        <translation>激活函数</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活值</translation>
    </message>
    <message>
        <source>Activations that were not kept are computed again in the backward.</source>
        <translation>没有保留的激活值在反向中重新计算。</translation>
    </message>
    <message>
        <source>Added to the root of AdamW&apos;s second moment.</source>
        <translation>加到 AdamW 二阶矩的平方根上。</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>启动程序</translation>
    </message>
    <message>
        <source>All-reduce</source>
        <translation>All-reduce</translation>
    </message>
    <message>
        <source>Attention heads of a layer; they divide the hidden width among themselves, unless each has a width of its own.</source>
        <translation>一层的注意力头数；除非每个头另有宽度，否则各头平分隐藏维度。</translation>
    </message>
    <message>
        <source>Balance</source>
        <translation>均衡损失权重</translation>
    </message>
    <message>
        <source>Bandwidth in one direction of the link between devices of one node, NVLink say.</source>
        <translation>同一节点内设备之间链路（例如 NVLink）的单向带宽。</translation>
    </message>
    <message>
        <source>Base of the rotary embedding: pair i of a head&apos;s numbers turns by position × base^(−2i ÷ width). A larger base tells positions apart that are further from each other.</source>
        <translation>旋转位置编码的底数：一个头的第 i 对数旋转 位置 × 底数^(−2i ÷ 宽度)。底数越大，越能区分相距更远的位置。</translation>
    </message>
    <message>
        <source>Betas</source>
        <translation>Betas</translation>
    </message>
    <message>
        <source>Bias rate</source>
        <translation>偏置步长</translation>
    </message>
    <message>
        <source>Biases</source>
        <translation>偏置项</translation>
    </message>
    <message>
        <source>Blocks of a segment, which keeps only its input; for recompute every.</source>
        <translation>一个片段的块数，片段只保留其输入；用于重计算方式 every。</translation>
    </message>
    <message>
        <source>Blocks of the model, without embeddings and output. Each block of a cnn halves the sides of its maps.</source>
        <translation>模型的块数，不含嵌入层和输出层。cnn 的每个块把特征图边长减半。</translation>
    </message>
    <message>
        <source>Bucket</source>
        <translation>梯度桶</translation>
    </message>
    <message>
        <source>By hand</source>
        <translation>手写顺序</translation>
    </message>
    <message>
        <source>Bytes that the run file may grow to (500 MB). Without a limit every event is kept. Near the limit the policy last-and-every takes over: the metrics of every step stay, and so do the events of the last steps and of every k-th step.</source>
        <translation>运行文件最多可增长到的字节数（500 MB）；不限时保留所有事件。接近上限时采用 last-and-every 策略：保留每一步的指标，以及最后若干步和每第 k 步的事件。</translation>
    </message>
    <message>
        <source>Capacity</source>
        <translation>容量</translation>
    </message>
    <message>
        <source>Channels</source>
        <translation>通道数</translation>
    </message>
    <message>
        <source>Chunks</source>
        <translation>模型块</translation>
    </message>
    <message>
        <source>Classes</source>
        <translation>类别数</translation>
    </message>
    <message>
        <source>Clip</source>
        <translation>梯度裁剪</translation>
    </message>
    <message>
        <source>Clip threshold</source>
        <translation>裁剪阈值</translation>
    </message>
    <message>
        <source>Columns of each head of queries, of keys and of values.</source>
        <translation>查询、键和值的每个头的列数。</translation>
    </message>
    <message>
        <source>Columns of each head&apos;s query and key that are turned by their position in a latent attention, beside model.head_width that are not. The turned columns of the key are the same for all heads.</source>
        <translation>潜在注意力中，每个头的查询和键里按位置旋转的列数；另有 model.head_width 列不旋转。键的旋转列由所有头共用。</translation>
    </message>
    <message>
        <source>Columns of each head&apos;s value in a latent attention.</source>
        <translation>潜在注意力中每个头的值的列数。</translation>
    </message>
    <message>
        <source>Columns of the latent that the keys and values of all heads are made from where positions are rotary (multi-head latent attention, DeepSeek-V2): a token&apos;s keys and values are one narrow row, with an RMSNorm, that a second product expands. Its products have no biases.</source>
        <translation>使用旋转位置编码时，生成所有头的键和值的潜向量的列数（多头潜在注意力，DeepSeek-V2）：一个 token 的键和值是一个带 RMSNorm 的窄行，由第二个矩阵乘法展开。其矩阵乘法没有偏置项。</translation>
    </message>
    <message>
        <source>Columns of the latent that the queries of a latent attention are made from, with an RMSNorm. Without it queries are made straight from the hidden width.</source>
        <translation>潜在注意力中生成查询的潜向量的列数，带 RMSNorm。没有它时，查询直接由隐藏维度生成。</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文并行</translation>
    </message>
    <message>
        <source>Convolutions</source>
        <translation>卷积数</translation>
    </message>
    <message>
        <source>Convolutions with ReLU in each block of a cnn, before its max-pool.</source>
        <translation>cnn 每个块中最大池化之前带 ReLU 的卷积数。</translation>
    </message>
    <message>
        <source>Count ends</source>
        <translation>计入两端</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据并行</translation>
    </message>
    <message>
        <source>Deadline</source>
        <translation>期限</translation>
    </message>
    <message>
        <source>Decay of AdamW&apos;s first and second moment.</source>
        <translation>AdamW 一阶矩和二阶矩的衰减率。</translation>
    </message>
    <message>
        <source>Decay rate</source>
        <translation>衰减率</translation>
    </message>
    <message>
        <source>DeepSeek-V2 in bf16 on 128 H100, pipeline 8, latent attention, 160 experts over 8 ranks and two shared ones; to plan</source>
        <translation>DeepSeek-V2，bf16，128 块 H100，流水线 8，潜在注意力，160 个专家分布于 8 个 rank，另有两个共享专家；用于规划</translation>
    </message>
    <message>
        <source>DeepSeek-V3 on 256 GB200 with MXFP8 products, pipeline 4 with four chunks, 256 experts over 64 ranks, latent attention; as published but for the prediction of further tokens; to plan</source>
        <translation>DeepSeek-V3，256 块 GB200，MXFP8 乘法，流水线 4，每 rank 四个模型块，256 个专家分布于 64 个 rank，潜在注意力；除多 token 预测外与公布的一致；用于规划</translation>
    </message>
    <message>
        <source>Dense layers</source>
        <translation>稠密层数</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Different tokens that the model knows.</source>
        <translation>模型所知的不同 token 数。</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>文档</translation>
    </message>
    <message>
        <source>Dropout</source>
        <translation>Dropout</translation>
    </message>
    <message>
        <source>DualPipe-V</source>
        <translation>DualPipe-V</translation>
    </message>
    <message>
        <source>Elastic ρ</source>
        <translation>弹性 ρ</translation>
    </message>
    <message>
        <source>Entropy</source>
        <translation>熵</translation>
    </message>
    <message>
        <source>Epsilon</source>
        <translation>Epsilon</translation>
    </message>
    <message>
        <source>Every</source>
        <translation>检查点间隔</translation>
    </message>
    <message>
        <source>Every so many blocks one has experts: 2 is the second, the fourth and so on. That of gpt-moe is 2, that of llama-moe 1.</source>
        <translation>每隔这么多块有一个含专家的块：2 即第二块、第四块，依此类推。gpt-moe 的值是 2，llama-moe 的值是 1。</translation>
    </message>
    <message>
        <source>Exchange</source>
        <translation>交换</translation>
    </message>
    <message>
        <source>Expert</source>
        <translation>专家并行</translation>
    </message>
    <message>
        <source>Expert dropout</source>
        <translation>专家 dropout</translation>
    </message>
    <message>
        <source>Expert groups</source>
        <translation>专家组数</translation>
    </message>
    <message>
        <source>Expert width</source>
        <translation>专家宽度</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>专家数</translation>
    </message>
    <message>
        <source>Experts beside the others that every token goes to, without a gate. They are computed as one block of their widths together (DeepSeek-V2, DeepSeek-V3).</source>
        <translation>在其他专家之外、不经门控而每个 token 都经过的专家数。它们合并为一个总宽度的块来计算（DeepSeek-V2、DeepSeek-V3）。</translation>
    </message>
    <message>
        <source>Experts every</source>
        <translation>专家层间隔</translation>
    </message>
    <message>
        <source>Experts of each token with a gate that chooses several; with the gate hierarchical, in each of the token&apos;s groups.</source>
        <translation>门控可选多个专家时，每个 token 的专家数；使用 hierarchical 门控时，为 token 所选的每个组中的专家数。</translation>
    </message>
    <message>
        <source>Factor of the loss before its gradient is taken, as one task among several has. AdamW takes the factor out again, down to its epsilon, but does not bring back what 16 bits lost of the gradient.</source>
        <translation>求梯度之前损失所乘的系数，如同多个任务中的一个。AdamW 会在 epsilon 的范围内抵消这个系数，但无法恢复 16 位梯度所丢失的部分。</translation>
    </message>
    <message>
        <source>Factor of the weights of a token&apos;s experts with a gate of sigmoids (2.5 in DeepSeek-V3).</source>
        <translation>使用 sigmoid 门控时，一个 token 的各专家权重所乘的系数（DeepSeek-V3 中为 2.5）。</translation>
    </message>
    <message>
        <source>Faults on purpose</source>
        <translation>注入故障</translation>
    </message>
    <message>
        <source>Faults that a rank brings about on purpose once so many steps are done. kill 1 after 12: rank 1 dies. hang 1 after 12: it stands still. slow 1 after 12 by 2.5: from then on it computes 2.5 times as long.</source>
        <translation>完成若干步之后由 rank 有意引发的故障。kill 1 after 12：rank 1 终止。hang 1 after 12：它停住。slow 1 after 12 by 2.5：此后它的计算时间变为 2.5 倍。</translation>
    </message>
    <message>
        <source>Feed-forward</source>
        <translation>前馈宽度</translation>
    </message>
    <message>
        <source>Feed-forward blocks side by side, among which a gate chooses for each token. They are in every second block of gpt-moe, the second, the fourth and so on, and in every block of llama-moe, unless experts_every and dense_layers say otherwise.</source>
        <translation>并列的前馈块数，由门控为每个 token 从中选择。在 gpt-moe 中位于每隔一块（第二块、第四块，依此类推），在 llama-moe 中位于每个块，除非 experts_every 和 dense_layers 另有规定。</translation>
    </message>
    <message>
        <source>Fewest replicas</source>
        <translation>最少副本数</translation>
    </message>
    <message>
        <source>Fewest replicas of an elastic run. Where ranks or hosts are lost, or when it is asked to, the run goes on from its newest checkpoint with fewer replicas, down to this many, and later with up to parallel.data again; the batch and the losses stay.</source>
        <translation>弹性运行的最少副本数。失去 rank 或主机时，或收到要求时，运行从最新的检查点以更少的副本继续，最少到此数目，之后可恢复到 parallel.data；批次和损失不变。</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>First steps</source>
        <translation>入门</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>检查点文件夹</translation>
    </message>
    <message>
        <source>Full every</source>
        <translation>全注意力间隔</translation>
    </message>
    <message>
        <source>GB/s</source>
        <translation>GB/s</translation>
    </message>
    <message>
        <source>GPT-2 124M: 12 layers, hidden 768, sequence 1024; pipeline 4, the last stage short because it has the output; paced at 90 seconds a step</source>
        <translation>GPT-2 124M：12 层，隐藏维度 768，序列长度 1024；流水线 4，最后一个阶段因含输出层而较短；定速为每步 90 秒</translation>
    </message>
    <message>
        <source>GPT-3 175B in bf16 with fp32 master weights on 64 A100, data 1 × pipeline 8 × tensor 8, interleaved, tokens split, as published: to plan, too large to train here</source>
        <translation>GPT-3 175B，bf16，fp32 主权重，64 块 A100，数据 1 × 流水线 8 × 张量 8，交错，切分 token，与公布的一致：用于规划，太大，无法在此训练</translation>
    </message>
    <message>
        <source>GPT-OSS 120B in bf16 on 64 GB200 in one NVLink domain, experts over all of them; as published, to plan</source>
        <translation>GPT-OSS 120B，bf16，同一 NVLink 域内的 64 块 GB200，专家分布于全部设备；与公布的一致，用于规划</translation>
    </message>
    <message>
        <source>GPT-OSS 20B in bf16 on 8 H100, experts over all of them; half of the layers attend to the last 128 tokens; to plan</source>
        <translation>GPT-OSS 20B，bf16，8 块 H100，专家分布于全部设备；一半的层只关注最近 128 个 token；用于规划</translation>
    </message>
    <message>
        <source>GPT-shaped models, to plan</source>
        <translation>GPT 结构的模型，用于规划</translation>
    </message>
    <message>
        <source>GPipe</source>
        <translation>GPipe</translation>
    </message>
    <message>
        <source>Gate</source>
        <translation>门控</translation>
    </message>
    <message>
        <source>Gbit/s</source>
        <translation>Gbit/s</translation>
    </message>
    <message>
        <source>Global batch</source>
        <translation>全局批次</translation>
    </message>
    <message>
        <source>Global batches of one validation.</source>
        <translation>一次验证的全局批次数。</translation>
    </message>
    <message>
        <source>Gradients</source>
        <translation>梯度格式</translation>
    </message>
    <message>
        <source>Groups of each token. With the gate hierarchical it goes to top_k experts in each of them, with sigmoid-in-groups to top_k experts in all of them together.</source>
        <translation>每个 token 所选的组数。使用 hierarchical 门控时，它在每个组中去往 top_k 个专家；使用 sigmoid-in-groups 时，在这些组中一共去往 top_k 个专家。</translation>
    </message>
    <message>
        <source>Groups of neighbouring experts, among which the gates hierarchical and sigmoid-in-groups choose first. The number divides that of experts.</source>
        <translation>相邻专家组成的组数，hierarchical 和 sigmoid-in-groups 门控先在组之间选择。该数整除专家数。</translation>
    </message>
    <message>
        <source>Head width</source>
        <translation>头宽度</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>头数</translation>
    </message>
    <message>
        <source>Hidden</source>
        <translation>隐藏维度</translation>
    </message>
    <message>
        <source>Hosts</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>How ZeRO 3 divides the parameters. flat: every replica has a part of every layer, and the parts are gathered when the layer is used (FSDP). layers: each layer belongs to one replica, which sends it to the others when it is used, and to which they send its gradients.</source>
        <translation>ZeRO 3 如何切分参数。flat：每个副本持有每一层的一部分，使用该层时收集各部分（FSDP）。layers：每一层属于一个副本，使用时由它发给其他副本，其他副本把该层的梯度发给它。</translation>
    </message>
    <message>
        <source>How experts are chosen. switch: a token goes to the expert with its highest score. noisy-top-k: it goes to the few with the highest scores, to which noise is added. hierarchical: it goes to the few best experts in each of the few best groups, with noise too. gshard: it goes to the best expert, and to the second best with a probability that depends on its weight. expert-choice: each expert takes the tokens with the highest scores, whatever their place in the text. capped-expert-choice: the same, but few experts take the same token. softmax-top-k: a token goes to the top_k experts with the highest softmax over all, which are their weights (DeepSeek-V2). top-k-softmax: the same, with the softmax over these experts alone as weights (Mixtral, Qwen3). sigmoid-top-k: each score goes through a sigmoid by itself, and the weights are shares of the sum over the experts of the token (DeepSeek-V3). sigmoid-in-groups: the same, but the experts of a token lie in its few best groups.</source>
        <translation>如何选择专家。switch：token 去往得分最高的专家。noisy-top-k：去往得分最高的几个专家，得分上加有噪声。hierarchical：去往最好的几个组中每组最好的几个专家，也加噪声。gshard：去往最好的专家，并以取决于权重的概率去往次好的专家。expert-choice：每个专家选取得分最高的 token，不论其在文本中的位置。capped-expert-choice：同上，但只有少数专家选取同一个 token。softmax-top-k：token 去往对所有专家做 softmax 后最高的 top_k 个专家，softmax 值即其权重（DeepSeek-V2）。top-k-softmax：同上，但权重为仅对这些专家做的 softmax（Mixtral、Qwen3）。sigmoid-top-k：每个得分单独经过 sigmoid，权重为其占该 token 各专家之和的比例（DeepSeek-V3）。sigmoid-in-groups：同上，但一个 token 的专家都位于其最好的几个组中。</translation>
    </message>
    <message>
        <source>How many of the lowest blocks of each stage are computed again, as far as memory asks for it; the blocks above them keep their activations.</source>
        <translation>每个阶段最低的多少个块重新计算，够内存之用即可；其上的块保留激活值。</translation>
    </message>
    <message>
        <source>How many times slower the slow pairs of a scaled rotary embedding turn.</source>
        <translation>缩放的旋转位置编码中，慢的数对旋转放慢的倍数。</translation>
    </message>
    <message>
        <source>How often a run whose ranks die or hang goes on from its last checkpoint. With 0 it ends.</source>
        <translation>rank 终止或挂起时，运行从最近的检查点继续的次数。0 表示运行结束。</translation>
    </message>
    <message>
        <source>How text becomes tokens. bytes makes each byte a token; gpt2 merges pairs of bytes as GPT-2 does; tokenizer.json does as that file of Hugging Face says (byte-level BPE, as of Llama 3 and Qwen).</source>
        <translation>文本如何变为 token。bytes：每个字节一个 token；gpt2：像 GPT-2 那样合并字节对；tokenizer.json：按 Hugging Face 的该文件（字节级 BPE，如 Llama 3 和 Qwen）。</translation>
    </message>
    <message>
        <source>How the learning rate falls from the end of the warm-up to the last step. constant: it stays. cosine: it falls along half a wave. linear: it falls along a straight line.</source>
        <translation>学习率从预热结束到最后一步如何下降。constant：不变。cosine：沿半个余弦波下降。linear：沿直线下降。</translation>
    </message>
    <message>
        <source>How the rotary embedding is stretched for longer sequences than the model was first trained with: pairs that turn seldom turn slower by the factor, those that turn often stay as they are. llama3 goes by how often a pair turns; yarn has whole pairs as borders and makes scores larger.</source>
        <translation>如何把旋转位置编码拉伸到比最初训练更长的序列：旋转少的数对按系数放慢，旋转多的保持不变。llama3 按数对旋转的次数划分；yarn 以整个数对为界，并增大得分。</translation>
    </message>
    <message>
        <source>Image</source>
        <translation>图像边长</translation>
    </message>
    <message>
        <source>In flight</source>
        <translation>同时在途</translation>
    </message>
    <message>
        <source>In update t, Adafactor&apos;s sums of squares keep 1 − t^−rate of what they were; with 0 they keep nothing.</source>
        <translation>在第 t 次更新中，Adafactor 的平方和保留原值的 1 − t^−衰减率；0 表示完全不保留。</translation>
    </message>
    <message>
        <source>Inside a tensor group, norms and dropout work on parts of the sequence.</source>
        <translation>在张量组内，归一化和 dropout 各自只处理序列的一部分。</translation>
    </message>
    <message>
        <source>Interleaved 1F1B</source>
        <translation>交错式 1F1B</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保留检查点数</translation>
    </message>
    <message>
        <source>Keep every</source>
        <translation>每隔保留</translation>
    </message>
    <message>
        <source>Keep last</source>
        <translation>保留最后</translation>
    </message>
    <message>
        <source>Key/value heads</source>
        <translation>键/值头数</translation>
    </message>
    <message>
        <source>Key/value rank</source>
        <translation>键/值潜向量宽度</translation>
    </message>
    <message>
        <source>Kimi K2, a trillion parameters in 384 experts, on 256 GB300 with MXFP8 products; as published, to plan</source>
        <translation>Kimi K2，384 个专家共一万亿参数，256 块 GB300，MXFP8 乘法；与公布的一致，用于规划</translation>
    </message>
    <message>
        <source>Kinds of images that a cnn tells apart.</source>
        <translation>cnn 所区分的图像类别数。</translation>
    </message>
    <message>
        <source>Large dense models, to plan</source>
        <translation>大型稠密模型，用于规划</translation>
    </message>
    <message>
        <source>Large mixtures of experts, to plan</source>
        <translation>大型混合专家模型，用于规划</translation>
    </message>
    <message>
        <source>Largest norm of the whole model&apos;s gradient, over all ranks; a longer gradient is scaled down to it.</source>
        <translation>整个模型（所有 rank）梯度的最大范数；超过时按比例缩小到该值。</translation>
    </message>
    <message>
        <source>Largest root mean square of one parameter&apos;s update by Adafactor, before the learning rate; a larger update is scaled down to it.</source>
        <translation>Adafactor 对一个参数的更新（乘学习率之前）的最大均方根；超过时按比例缩小到该值。</translation>
    </message>
    <message>
        <source>Last batch</source>
        <translation>最后一个批次</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层数</translation>
    </message>
    <message>
        <source>Layers per stage</source>
        <translation>各阶段层数</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>Learning rate of the last step, where it falls.</source>
        <translation>学习率下降时，最后一步的学习率。</translation>
    </message>
    <message>
        <source>Least rate</source>
        <translation>最小学习率</translation>
    </message>
    <message>
        <source>Link within a node</source>
        <translation>节点内链路</translation>
    </message>
    <message>
        <source>Llama 2 7B in bf16 on 8 H100, data 2 × tensor 4, tokens split: to plan</source>
        <translation>Llama 2 7B，bf16，8 块 H100，数据 2 × 张量 4，切分 token：用于规划</translation>
    </message>
    <message>
        <source>Llama 3 70B in bf16 on 64 H100, pipeline 8 × tensor 8, interleaved, tokens split: to plan, too large to train here</source>
        <translation>Llama 3 70B，bf16，64 块 H100，流水线 8 × 张量 8，交错，切分 token：用于规划，太大，无法在此训练</translation>
    </message>
    <message>
        <source>Llama 3 8B in bf16 on 16 H100, data 2 × tensor 8, tokens split: a vocabulary of 128 256, shared by its members; to plan</source>
        <translation>Llama 3 8B，bf16，16 块 H100，数据 2 × 张量 8，切分 token：128 256 的词表由组内成员分担；用于规划</translation>
    </message>
    <message>
        <source>Llama 3.1 405B in bf16 on 512 H100, data 4 × pipeline 8 × tensor 8 × context 2, eight chunks a rank of which the first and the last hold a block less, as NVIDIA published it (19.8 s a step): to plan</source>
        <translation>Llama 3.1 405B，bf16，512 块 H100，数据 4 × 流水线 8 × 张量 8 × 上下文 2，每 rank 八个模型块，首尾两个各少一块，与 NVIDIA 公布的一致（每步 19.8 s）：用于规划</translation>
    </message>
    <message>
        <source>Llama 3.1 70B in bf16 on 64 H100, pipeline 8 × tensor 8, interleaved, tokens split: to plan, too large to train here</source>
        <translation>Llama 3.1 70B，bf16，64 块 H100，流水线 8 × 张量 8，交错，切分 token：用于规划，太大，无法在此训练</translation>
    </message>
    <message>
        <source>Llama 3.1 8B in bf16 on 16 H100, data 2 × tensor 8, tokens split: Llama 3 8B with a rotary embedding that is stretched for long texts; to plan</source>
        <translation>Llama 3.1 8B，bf16，16 块 H100，数据 2 × 张量 8，切分 token：即旋转位置编码为长文本而拉伸的 Llama 3 8B；用于规划</translation>
    </message>
    <message>
        <source>Looped breadth-first</source>
        <translation>循环广度优先</translation>
    </message>
    <message>
        <source>Loss scale</source>
        <translation>损失缩放</translation>
    </message>
    <message>
        <source>Loss weight</source>
        <translation>损失权重</translation>
    </message>
    <message>
        <source>Lowest blocks that have a feed-forward block instead of experts all the same (3 in DeepSeek-V3).</source>
        <translation>最低的多少个块仍用前馈块而不用专家（DeepSeek-V3 中为 3）。</translation>
    </message>
    <message>
        <source>MB</source>
        <translation>MB</translation>
    </message>
    <message>
        <source>MPT 30B in bf16 on 16 H100, data 16, ZeRO 3, every block computed again, as LLM Foundry published it (27.1 s a step); to plan</source>
        <translation>MPT 30B，bf16，16 块 H100，数据 16，ZeRO 3，每个块都重计算，与 LLM Foundry 公布的一致（每步 27.1 s）；用于规划</translation>
    </message>
    <message>
        <source>MPT 70B in bf16 on 64 H100, data 64, ZeRO 3, every block computed again, as LLM Foundry published it (63.1 s a step); to plan</source>
        <translation>MPT 70B，bf16，64 块 H100，数据 64，ZeRO 3，每个块都重计算，与 LLM Foundry 公布的一致（每步 63.1 s）；用于规划</translation>
    </message>
    <message>
        <source>MPT 7B in bf16 on 8 A100, data 8, ZeRO 3, as LLM Foundry published it (5.3 s a step); to plan</source>
        <translation>MPT 7B，bf16，8 块 A100，数据 8，ZeRO 3，与 LLM Foundry 公布的一致（每步 5.3 s）；用于规划</translation>
    </message>
    <message>
        <source>Many replicas</source>
        <translation>多个副本</translation>
    </message>
    <message>
        <source>Megabytes of gradients that are reduced together, while the backward goes on. With 0 all gradients of a stage are reduced after its backward. ZeRO 2 and 3 reduce layer by layer.</source>
        <translation>在反向进行的同时一起归约的梯度的兆字节数。0 表示一个阶段的所有梯度在其反向之后归约。ZeRO 2 和 3 逐层归约。</translation>
    </message>
    <message>
        <source>Megatron-Turing NLG 530B on 280 nodes of 8 A100, data 8 × pipeline 35 × tensor 8, as arXiv 2201.11990 published it (60.1 s a step); to plan</source>
        <translation>Megatron-Turing NLG 530B，280 个节点，每节点 8 块 A100，数据 8 × 流水线 35 × 张量 8，与 arXiv 2201.11990 公布的一致（每步 60.1 s）；用于规划</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Memory and precision</source>
        <translation>内存与精度</translation>
    </message>
    <message>
        <source>Messages, reductions and gathers, collectives of tensor, context and expert groups, and copies between device and host, as far as no compute hides them.</source>
        <translation>消息、归约与收集，张量、上下文和专家组的集合通信，以及设备与主机之间的复制，仅计没有被计算掩盖的部分。</translation>
    </message>
    <message>
        <source>Microbatch</source>
        <translation>微批次</translation>
    </message>
    <message>
        <source>Mistral 7B, whose tokens attend to the last 4096, in bf16 on 8 H100, data 2 × tensor 4, tokens split: to plan</source>
        <translation>Mistral 7B，token 只关注最近 4096 个，bf16，8 块 H100，数据 2 × 张量 4，切分 token：用于规划</translation>
    </message>
    <message>
        <source>Mixtral 8×22B in bf16 on 128 H100, pipeline 8 with seven chunks, its experts over 8 ranks; to plan</source>
        <translation>Mixtral 8×22B，bf16，128 块 H100，流水线 8，每 rank 七个模型块，专家分布于 8 个 rank；用于规划</translation>
    </message>
    <message>
        <source>Mixtral 8×7B in bf16 on 64 H100, pipeline 4 with eight chunks, its experts over 8 ranks: each token goes to two of eight; to plan</source>
        <translation>Mixtral 8×7B，bf16，64 块 H100，流水线 4，每 rank 八个模型块，专家分布于 8 个 rank：每个 token 去往八个中的两个；用于规划</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Modelled device</source>
        <translation>所建模的设备</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Momentum</source>
        <translation>动量</translation>
    </message>
    <message>
        <source>Most experts of a token with the gate capped-expert-choice. The assignment of tokens to experts keeps this limit, and each expert then takes the tokens that are assigned to it most.</source>
        <translation>使用 capped-expert-choice 门控时，一个 token 的最多专家数。token 到专家的分配遵守此上限，然后每个专家选取分配给它最多的 token。</translation>
    </message>
    <message>
        <source>Most microbatches that a rank holds at once, for schedules that take a limit (zb-greedy).</source>
        <translation>对可设上限的调度（zb-greedy），一个 rank 同时持有的最多微批次数。</translation>
    </message>
    <message>
        <source>Most tokens that a token attends to, itself among them (a sliding window, Mistral 7B).</source>
        <translation>一个 token 最多关注的 token 数，包括自身（滑动窗口，Mistral 7B）。</translation>
    </message>
    <message>
        <source>Naive model parallelism</source>
        <translation>朴素模型并行</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Nemotron-4 15B in bf16 on 16 H100, data 8 × tensor 2, as NVIDIA published it (2.66 s a step): squared ReLU and layer norms; the published model turns only half of each head; to plan</source>
        <translation>Nemotron-4 15B，bf16，16 块 H100，数据 8 × 张量 2，与 NVIDIA 公布的一致（每步 2.66 s）：平方 ReLU 和层归一化；公布的模型只旋转每个头的一半；用于规划</translation>
    </message>
    <message>
        <source>Nemotron-4 340B in bf16 on 128 H100, data 2 × pipeline 8 × tensor 8, twelve chunks a rank, as NVIDIA published it in fp8, here with blocks that are computed again so that it fits: heads of 192 columns and a vocabulary of 256 000; to plan</source>
        <translation>Nemotron-4 340B，bf16，128 块 H100，数据 2 × 流水线 8 × 张量 8，每 rank 十二个模型块，NVIDIA 公布时为 fp8，这里对部分块重计算使其放得下：头宽 192 列，词表 256 000；用于规划</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>Newest checkpoints that stay; older ones are removed.</source>
        <translation>保留的最新检查点个数；更旧的被删除。</translation>
    </message>
    <message>
        <source>Norm</source>
        <translation>归一化</translation>
    </message>
    <message>
        <source>Norm epsilon</source>
        <translation>归一化 epsilon</translation>
    </message>
    <message>
        <source>Norms, activations, residual sums, losses and operands of narrow products: bytes through memory that no product hides.</source>
        <translation>归一化、激活函数、残差求和、损失，以及窄矩阵乘法的操作数：没有被矩阵乘法掩盖的内存读写。</translation>
    </message>
    <message>
        <source>Number format in which the gradients of weights are summed up; compute stands for that of the weights.</source>
        <translation>累加权重梯度所用的数值格式；compute 表示与权重相同。</translation>
    </message>
    <message>
        <source>Number format of activations, of their gradients, and of what matrix products read; sums are taken in fp32.</source>
        <translation>激活值及其梯度、以及矩阵乘法所读操作数的数值格式；求和用 fp32。</translation>
    </message>
    <message>
        <source>Numbers of a pixel, for cnn: 1 is grey, 3 are colours.</source>
        <translation>cnn 的每个像素的数值个数：1 为灰度，3 为彩色。</translation>
    </message>
    <message>
        <source>Offload</source>
        <translation>卸载</translation>
    </message>
    <message>
        <source>Operation</source>
        <translation>运维</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>Optimizer steps of the run.</source>
        <translation>运行的优化器步数。</translation>
    </message>
    <message>
        <source>Order of forwards and backwards in the pipeline.</source>
        <translation>流水线中前向和反向的顺序。</translation>
    </message>
    <message>
        <source>Output projection</source>
        <translation>输出投影</translation>
    </message>
    <message>
        <source>Paced</source>
        <translation>定速</translation>
    </message>
    <message>
        <source>Pairs that turn at least so often over the original sequence stay as they are. That of llama3 is 4, that of yarn 32.</source>
        <translation>在原序列长度内旋转至少这么多次的数对保持不变。llama3 的值是 4，yarn 的值是 32。</translation>
    </message>
    <message>
        <source>Pairs that turn at most so often over the original sequence are slowed down by the whole factor.</source>
        <translation>在原序列长度内旋转最多这么多次的数对按整个系数放慢。</translation>
    </message>
    <message>
        <source>Partition</source>
        <translation>参数切分</translation>
    </message>
    <message>
        <source>Partition inputs</source>
        <translation>切分输入</translation>
    </message>
    <message>
        <source>PipeDream, weight stashing</source>
        <translation>PipeDream，权重暂存</translation>
    </message>
    <message>
        <source>PipeDream-2BW, two weight versions</source>
        <translation>PipeDream-2BW，两个权重版本</translation>
    </message>
    <message>
        <source>Pipeline</source>
        <translation>流水线</translation>
    </message>
    <message>
        <source>Pipelines</source>
        <translation>流水线</translation>
    </message>
    <message>
        <source>Pixels of an image&apos;s side, for cnn. It can be halved as often as there are layers.</source>
        <translation>cnn 的图像边长像素数。它能被减半的次数不少于层数。</translation>
    </message>
    <message>
        <source>Places of all experts together for each place that the tokens of a sample ask for. A token whose expert is full is dropped: it passes the block by unchanged. With expert-choice and capped-expert-choice it is the number of experts of a token on average. Without a limit experts have as many rows as tokens choose them, and no token is dropped.</source>
        <translation>所有专家的位置总数与一个样本的 token 所需位置数之比。专家已满时 token 被丢弃：它原样绕过该块。使用 expert-choice 和 capped-expert-choice 时，它是一个 token 的平均专家数。不限时，有多少 token 选择某个专家，该专家就有多少行，不丢弃任何 token。</translation>
    </message>
    <message>
        <source>Positions</source>
        <translation>位置编码</translation>
    </message>
    <message>
        <source>Powers of two that a delayed scale leaves free above the largest magnitude of its history.</source>
        <translation>延迟缩放在历史最大绝对值之上留出的 2 的幂次数。</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Products</source>
        <translation>矩阵乘法</translation>
    </message>
    <message>
        <source>Products and attention of a forward and a backward, at the devices&apos; peak for their formats.</source>
        <translation>一次前向和反向的矩阵乘法与注意力，按设备对相应格式的峰值计。</translation>
    </message>
    <message>
        <source>Pull towards zero per unit of learning rate. It acts on matrices and embeddings; biases and norms are left alone.</source>
        <translation>每单位学习率把权重拉向零的强度。作用于矩阵和嵌入；偏置项和归一化不受影响。</translation>
    </message>
    <message>
        <source>Query rank</source>
        <translation>查询潜向量宽度</translation>
    </message>
    <message>
        <source>Query/key norms</source>
        <translation>查询/键归一化</translation>
    </message>
    <message>
        <source>Qwen3 235B-A22B on 256 GB200 with MXFP8 products, pipeline 8 with three chunks, experts over 32 ranks; as published, to plan</source>
        <translation>Qwen3 235B-A22B，256 块 GB200，MXFP8 乘法，流水线 8，每 rank 三个模型块，专家分布于 32 个 rank；与公布的一致，用于规划</translation>
    </message>
    <message>
        <source>Qwen3 30B-A3B on 16 H100 with fp8 products, data 16, 128 narrow experts over all of them; as published, to plan</source>
        <translation>Qwen3 30B-A3B，16 块 H100，fp8 乘法，数据 16，128 个窄专家分布于全部设备；与公布的一致，用于规划</translation>
    </message>
    <message>
        <source>Qwen3 32B in bf16 on 32 H100, data 2 × pipeline 2 × tensor 8: heads wider than hidden ÷ heads, with norms of their queries and keys; to plan</source>
        <translation>Qwen3 32B，bf16，32 块 H100，数据 2 × 流水线 2 × 张量 8：头宽大于 隐藏维度 ÷ 头数，查询和键带归一化；用于规划</translation>
    </message>
    <message>
        <source>Ranks that share cores, the factor that a software stack takes over all its work, and compute that was measured as a whole.</source>
        <translation>共用核心的 rank、软件栈对其全部工作的系数，以及整体测得的计算。</translation>
    </message>
    <message>
        <source>Ranks that the layers are spread over.</source>
        <translation>各层分布到的 rank 数。</translation>
    </message>
    <message>
        <source>Ranks wait until a modelled device would have finished, so that a few cores show what a larger cluster does.</source>
        <translation>各 rank 等到所建模的设备本应完成时才继续，使几个核心就能展示更大集群的行为。</translation>
    </message>
    <message>
        <source>Rate schedule</source>
        <translation>学习率调度</translation>
    </message>
    <message>
        <source>Recompute</source>
        <translation>重计算</translation>
    </message>
    <message>
        <source>Recompute every</source>
        <translation>重计算片段</translation>
    </message>
    <message>
        <source>Recompute only</source>
        <translation>仅重计算</translation>
    </message>
    <message>
        <source>Replicas of the model; each trains on its share of the batch.</source>
        <translation>模型的副本数；每个副本用批次中属于自己的部分训练。</translation>
    </message>
    <message>
        <source>Replicas, tensors and all together</source>
        <translation>副本、张量及其组合</translation>
    </message>
    <message>
        <source>Reserve</source>
        <translation>预留</translation>
    </message>
    <message>
        <source>Restarts</source>
        <translation>重启次数</translation>
    </message>
    <message>
        <source>RoPE base</source>
        <translation>RoPE 底数</translation>
    </message>
    <message>
        <source>RoPE factor</source>
        <translation>RoPE 系数</translation>
    </message>
    <message>
        <source>RoPE high</source>
        <translation>RoPE 高频界</translation>
    </message>
    <message>
        <source>RoPE low</source>
        <translation>RoPE 低频界</translation>
    </message>
    <message>
        <source>RoPE original</source>
        <translation>RoPE 原长度</translation>
    </message>
    <message>
        <source>RoPE scaling</source>
        <translation>RoPE 缩放</translation>
    </message>
    <message>
        <source>RoPE width</source>
        <translation>RoPE 宽度</translation>
    </message>
    <message>
        <source>Route scale</source>
        <translation>路由系数</translation>
    </message>
    <message>
        <source>Samples of one optimizer step over all replicas.</source>
        <translation>一个优化器步在所有副本上的样本总数。</translation>
    </message>
    <message>
        <source>Samples that go through the pipeline together.</source>
        <translation>一起通过流水线的样本数。</translation>
    </message>
    <message>
        <source>Scale</source>
        <translation>缩放系数</translation>
    </message>
    <message>
        <source>Scale doubles after</source>
        <translation>缩放翻倍间隔</translation>
    </message>
    <message>
        <source>Scale history</source>
        <translation>缩放历史</translation>
    </message>
    <message>
        <source>Scale margin</source>
        <translation>缩放余量</translation>
    </message>
    <message>
        <source>Scaling</source>
        <translation>缩放方式</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>调度</translation>
    </message>
    <message>
        <source>Seconds after which a rank that stands still within a step ends the run, with a report; in the first step, which loads libraries, at least 60. With 0 the deadline follows from how long steps take.</source>
        <translation>一个 rank 在一步之内停住多少秒后结束运行并给出报告；第一步要载入库，至少为 60 秒。0 表示由各步的耗时得出期限。</translation>
    </message>
    <message>
        <source>Seconds that one step is slowed down to, so that it can be watched. The times that are shown are the device&apos;s own.</source>
        <translation>把一步放慢到多少秒，以便观看。所显示的时间仍是设备自身的时间。</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>Sequence</source>
        <translation>序列长度</translation>
    </message>
    <message>
        <source>Sequence parallel</source>
        <translation>序列并行</translation>
    </message>
    <message>
        <source>Shard</source>
        <translation>分片组</translation>
    </message>
    <message>
        <source>Share of a device&apos;s memory that stays free. The runtime&apos;s context, the buffers of a communication library and gaps between allocations need it; what is known of them of a modelled software stack comes off besides. A layout fits where the largest peak of a rank is within the rest. On processors the memory is this machine&apos;s, from which the operating system, other programs and each rank&apos;s process take too.</source>
        <translation>设备内存中留空的比例。运行时上下文、通信库的缓冲区和分配之间的空隙需要它；对所建模的软件栈，其中已知的部分另外扣除。各 rank 中最大的峰值不超过其余部分时，布局才放得下。在处理器上，内存是本机的内存，操作系统、其他程序和每个 rank 的进程也要占用。</translation>
    </message>
    <message>
        <source>Share of activations that are set to zero while training. Which ones, the seed and a token&apos;s place in its sample decide, so that they are the same however ranks share the work.</source>
        <translation>训练时被置零的激活值比例。哪些被置零由种子和 token 在样本中的位置决定，因此无论 rank 怎样分担工作都相同。</translation>
    </message>
    <message>
        <source>Share of activations within experts that are set to zero while training. Experts that see few tokens each need more dropout than other layers.</source>
        <translation>训练时专家内部被置零的激活值比例。每个专家见到的 token 少，因此比其他层需要更多 dropout。</translation>
    </message>
    <message>
        <source>Share of the last update that SGD repeats, or of the mean of updates that SM3 takes. With 0 no state is kept for it.</source>
        <translation>SGD 重复上一次更新的比例，或 SM3 取更新平均值的比例。0 表示不为此保留状态。</translation>
    </message>
    <message>
        <source>Share of the text that is kept for validation.</source>
        <translation>留作验证的文本比例。</translation>
    </message>
    <message>
        <source>Shared experts</source>
        <translation>共享专家</translation>
    </message>
    <message>
        <source>Size limit</source>
        <translation>大小上限</translation>
    </message>
    <message>
        <source>Size of an update.</source>
        <translation>一次更新的大小。</translation>
    </message>
    <message>
        <source>Small twins of today&apos;s models</source>
        <translation>当今模型的缩小版</translation>
    </message>
    <message>
        <source>So many neighbouring data ranks share one copy of what ZeRO divides. With fewer there are several copies (HSDP): each rank gathers and scatters within its copy, and copies sum their gradients once a step. As many as a host has keep most of the traffic on the host.</source>
        <translation>这么多相邻的数据并行 rank 共同持有 ZeRO 所切分状态的一份拷贝。更少时有多份拷贝（HSDP）：每个 rank 只在自己的拷贝内做 gather 和 scatter，各拷贝每步对梯度求和一次。取一台主机的设备数可使大部分流量留在主机内。</translation>
    </message>
    <message>
        <source>Software stack</source>
        <translation>软件栈</translation>
    </message>
    <message>
        <source>Start from</source>
        <translation>起始权重</translation>
    </message>
    <message>
        <source>Start of every random stream: weights and data.</source>
        <translation>所有随机流的起点：权重和数据。</translation>
    </message>
    <message>
        <source>Step 0 too</source>
        <translation>含第 0 步</translation>
    </message>
    <message>
        <source>Step lasts</source>
        <translation>一步时长</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Steps before the present one whose largest magnitudes a delayed scale comes from.</source>
        <translation>延迟缩放取当前步之前多少步的最大绝对值。</translation>
    </message>
    <message>
        <source>Steps between checkpoints, with one at the run&apos;s end. With 0 a checkpoint is taken only when it is asked for.</source>
        <translation>检查点之间的步数，运行结束时还有一个。0 表示只在要求时保存检查点。</translation>
    </message>
    <message>
        <source>Steps between validations. With 0 there is one after the last step only.</source>
        <translation>两次验证之间的步数。0 表示只在最后一步之后验证。</translation>
    </message>
    <message>
        <source>Steps over which the learning rate rises to its value.</source>
        <translation>学习率上升到设定值所用的步数。</translation>
    </message>
    <message>
        <source>Steps without an overflow after which a dynamic loss scale is doubled.</source>
        <translation>连续多少步没有溢出后，动态损失缩放系数翻倍。</translation>
    </message>
    <message>
        <source>Swap</source>
        <translation>换出</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量并行</translation>
    </message>
    <message>
        <source>Text field</source>
        <translation>文本字段</translation>
    </message>
    <message>
        <source>The device whose time is modelled.</source>
        <translation>被建模其时间的设备。</translation>
    </message>
    <message>
        <source>The even split counts the embedding and the output as a layer each: 82 layers on 12 stages are 7 on each, and 6 on the first and on the last. Layers that are left over go to the stages in the middle.</source>
        <translation>均分时把嵌入层和输出层各算作一层：82 层分到 12 个阶段，每个 7 层，首尾各 6 层。余下的层归中间的阶段。</translation>
    </message>
    <message>
        <source>The field of each line&apos;s object that is the text, for data of kind jsonl.</source>
        <translation>数据类型为 jsonl 时，每行对象中存放文本的字段。</translation>
    </message>
    <message>
        <source>The file for data of kind text or jsonl; a .bin file or a folder of them for tokens. The path is relative to the layout file.</source>
        <translation>数据类型为 text 或 jsonl 时的文件；类型为 tokens 时为一个 .bin 文件或存放它们的文件夹。路径相对于布局文件。</translation>
    </message>
    <message>
        <source>The first hour</source>
        <translation>第一个小时</translation>
    </message>
    <message>
        <source>The folder with vocab.json and merges.txt for the tokenizer gpt2; for tokenizer.json that file, or its folder.</source>
        <translation>分词器为 gpt2 时，存放 vocab.json 和 merges.txt 的文件夹；为 tokenizer.json 时，该文件或其文件夹。</translation>
    </message>
    <message>
        <source>The machines, and how many devices each of them gives.</source>
        <translation>各台机器，以及每台提供多少设备。</translation>
    </message>
    <message>
        <source>The name of the layout in lists and run files.</source>
        <translation>布局在列表和运行文件中的名称。</translation>
    </message>
    <message>
        <source>The static loss scale, or the dynamic one of the first step. Below 1 it makes gradients as small as those of a larger batch, to see what 16 bits lose.</source>
        <translation>静态损失缩放系数，或动态缩放在第一步的系数。小于 1 时使梯度小到如同更大批次的梯度，以便观察 16 位会损失什么。</translation>
    </message>
    <message>
        <source>The time from one kernel to the next.</source>
        <translation>从一个内核到下一个内核的时间。</translation>
    </message>
    <message>
        <source>The training program whose times are modelled on that device: Shardlab&apos;s own, or one that many train with. It changes predicted and paced times, not what is computed.</source>
        <translation>在该设备上被建模其时间的训练程序：Shardlab 自身，或常用的训练框架。它改变预测和定速的时间，不改变所计算的内容。</translation>
    </message>
    <message>
        <source>The update of the weights, reading gradients for their norm, and copies of weights.</source>
        <translation>权重更新、为求范数而读取梯度，以及复制权重。</translation>
    </message>
    <message>
        <source>TinyLlama 1.1B in bf16 on 8 H100, data 8 with ZeRO 1: 32 heads of queries share 4 of keys and values; to plan</source>
        <translation>TinyLlama 1.1B，bf16，8 块 H100，数据 8，ZeRO 1：32 个查询头共用 4 个键和值的头；用于规划</translation>
    </message>
    <message>
        <source>Token experts</source>
        <translation>Token 专家数</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>分词器</translation>
    </message>
    <message>
        <source>Tokenizer files</source>
        <translation>分词器文件</translation>
    </message>
    <message>
        <source>Tokens of one sample.</source>
        <translation>一个样本的 token 数。</translation>
    </message>
    <message>
        <source>Tokens of the sequences that the model was first trained with, before its rotary embedding was scaled.</source>
        <translation>旋转位置编码缩放之前，模型最初训练所用序列的 token 数。</translation>
    </message>
    <message>
        <source>Top groups</source>
        <translation>所选组数</translation>
    </message>
    <message>
        <source>Top k</source>
        <translation>Top k</translation>
    </message>
    <message>
        <source>Validate every</source>
        <translation>验证间隔</translation>
    </message>
    <message>
        <source>Validation</source>
        <translation>验证比例</translation>
    </message>
    <message>
        <source>Validation batches</source>
        <translation>验证批次数</translation>
    </message>
    <message>
        <source>Value width</source>
        <translation>值宽度</translation>
    </message>
    <message>
        <source>Vertical sync</source>
        <translation>垂直同步</translation>
    </message>
    <message>
        <source>Virtual stages of each pipeline rank.</source>
        <translation>每个流水线 rank 的虚拟阶段数。</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>词表</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>预热</translation>
    </message>
    <message>
        <source>Weight decay</source>
        <translation>权重衰减</translation>
    </message>
    <message>
        <source>Weight of the assignment&apos;s entropy with the gate capped-expert-choice. With a larger weight tokens are spread more evenly, and the assignment is found sooner.</source>
        <translation>使用 capped-expert-choice 门控时分配的熵的权重。权重越大，token 分布越均匀，分配也越快求得。</translation>
    </message>
    <message>
        <source>Weight of the balance loss, which grows where experts are used unevenly. With switch it is n·Σ f·p, the share of the choices times their mean probability, with gshard the same for first choices, and with softmax, top-k and sigmoid for all choices of a token. With noisy-top-k and hierarchical it is the squared coefficient of variation of the summed gate weights.</source>
        <translation>均衡损失的权重；专家的使用越不均衡，均衡损失越大。switch 时为 n·Σ f·p，即选择所占比例乘以其平均概率；gshard 时只计第一选择，其余相同；softmax、top-k 和 sigmoid 时计一个 token 的所有选择。noisy-top-k 和 hierarchical 时为门控权重之和的变异系数的平方。</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>What becomes of the borders between documents, which are the lines of jsonl and the documents of Megatron&apos;s index. joined: a sample may reach from one document into the next. apart: each sample lies in one document, and what fills no sample at a document&apos;s end is left out.</source>
        <translation>如何处理文档之间的边界；文档即 jsonl 的行和 Megatron 索引中的文档。joined：一个样本可以跨越到下一个文档。apart：每个样本位于一个文档之内，文档末尾不足一个样本的部分被舍去。</translation>
    </message>
    <message>
        <source>What becomes of the last windows of an epoch where they do not fill a global batch. carry: the first windows of the next epoch fill it up. pad: the first windows of the same epoch come a second time. drop: they are left out.</source>
        <translation>一个 epoch 最后的窗口不足一个全局批次时如何处理。carry：用下一个 epoch 的最初窗口补足。pad：同一个 epoch 的最初窗口再用一次。drop：舍去。</translation>
    </message>
    <message>
        <source>What each pipeline rank computes, in its order, for the schedule custom: F forward, B backward, or I and W, its input gradient and its weight gradient.</source>
        <translation>调度为 custom 时，每个流水线 rank 依次计算什么：F 前向，B 反向，或者 I 和 W，即输入梯度和权重梯度。</translation>
    </message>
    <message>
        <source>What feed-forward blocks have between their products: GELU (exact, or with tanh as GPT-2), a gate of SiLU (swiglu) or of GELU (geglu, geglu-tanh) that multiplies as many columns again, the square of ReLU (relu2), or a gate with bounds (swiglu-clamped, GPT-OSS): g × sigmoid(alpha × g) × (v + 1), where a gate g is at most the limit and a value v between −limit and limit. default is gelu-tanh in gpt and swiglu in llama.</source>
        <translation>前馈块两次矩阵乘法之间的函数：GELU（精确，或像 GPT-2 那样用 tanh），以 SiLU（swiglu）或 GELU（geglu、geglu-tanh）为门、乘以另外同样多的列，ReLU 的平方（relu2），或有界的门（swiglu-clamped，GPT-OSS）：g × sigmoid(alpha × g) × (v + 1)，其中门 g 至多为上限，值 v 在 −上限与上限之间。default 在 gpt 中为 gelu-tanh，在 llama 中为 swiglu。</translation>
    </message>
    <message>
        <source>What is divided over the data axis: with 1 the optimizer state, with 2 the gradients too, with 3 the parameters too.</source>
        <translation>沿数据轴切分什么：1 为优化器状态，2 再加梯度，3 再加参数。</translation>
    </message>
    <message>
        <source>What norms add to the variance or mean square before they take its root.</source>
        <translation>归一化在开方之前加到方差或均方上的值。</translation>
    </message>
    <message>
        <source>What products and attention take longer on their shapes: tiles and waves that are not full, short inner widths, narrow heads, and the share of the peak that kernels reach at all.</source>
        <translation>矩阵乘法和注意力因其形状而多用的时间：不满的 tile 和 wave、较短的内维、较窄的头，以及内核所能达到的峰值比例。</translation>
    </message>
    <message>
        <source>What replicas exchange, and with whom. allreduce: all average their gradients, and each updates its weights. server: the first replica gathers the gradients, updates, and sends the weights back. async-server: the first replica does nothing else, and takes the gradient of one worker at a time, when it comes. easgd: each data rank, with its context group, trains by itself, and in each step one of them and a common centre pull each other. hogwild: all write the same weights in the memory of one host, without a lock.</source>
        <translation>副本之间交换什么、与谁交换。allreduce：全体平均梯度，各自更新权重。server：第一个副本收集梯度、更新并发回权重。async-server：第一个副本只做这件事，逐个接收先到的 worker 的梯度。easgd：每个数据 rank 连同其上下文组独自训练，每一步其中一个与公共中心相互牵引。hogwild：全体不加锁地写入同一主机内存中的同一份权重。</translation>
    </message>
    <message>
        <source>What the ranks compute on: cpu stands for processor cores, cuda for GPUs.</source>
        <translation>各 rank 用什么计算：cpu 为处理器核心，cuda 为 GPU。</translation>
    </message>
    <message>
        <source>What the scale of a tensor in fp8 comes from. current: its own largest magnitude. delayed: the largest that the same tensor had in the steps before, so that no pass over it comes before its rounding; what is larger saturates.</source>
        <translation>fp8 张量的缩放因子从何而来。current：自身的最大绝对值。delayed：同一张量在此前若干步中的最大值，因此舍入之前不必先遍历一次；更大的值饱和。</translation>
    </message>
    <message>
        <source>Where segments are computed again, each rank of a tensor group keeps only its part of a segment&apos;s input, and all gather the parts before the segment is computed again (ZeRO-R). Sequence parallelism splits these inputs anyway.</source>
        <translation>片段重计算时，张量组内每个 rank 只保存片段输入的一部分，重计算之前再收集全部（ZeRO-R）。序列并行本来就切分这些输入。</translation>
    </message>
    <message>
        <source>Whether an RMSNorm, learned once for all heads of a layer, is applied to each head&apos;s query and to each key before they are turned (Qwen3).</source>
        <translation>是否在旋转之前对每个头的查询和每个键应用 RMSNorm，其参数由一层的所有头共用（Qwen3）。</translation>
    </message>
    <message>
        <source>Whether the loss is multiplied by a loss scale before the backward, so that small gradients do not vanish. static: the scale stays. dynamic: it is halved at every overflow, and doubled after some steps without one.</source>
        <translation>反向之前是否把损失乘以缩放系数，使小梯度不致变为零。static：系数不变。dynamic：每次溢出减半，若干步没有溢出后翻倍。</translation>
    </message>
    <message>
        <source>Which copies of the weights there are where compute has 16 bits. master: weights in 16 bits, and master weights in fp32 that are updated (O2). fp32: weights in fp32, which are rounded for every product (O1). alone: weights in 16 bits, and no others (O3).</source>
        <translation>用 16 位计算时有哪些权重。master：16 位权重，以及被更新的 fp32 主权重（O2）。fp32：fp32 权重，每次矩阵乘法时舍入（O1）。alone：只有 16 位权重（O3）。</translation>
    </message>
    <message>
        <source>Which products of a block add a bias that is learned: none, qkv (the one that makes queries, keys and values, as in Qwen2) or all. default is all in gpt and none in llama and llama-moe.</source>
        <translation>块中哪些矩阵乘法带可学习的偏置项：none，qkv（生成查询、键和值的那个，如 Qwen2）或 all。default 在 gpt 中为 all，在 llama 和 llama-moe 中为 none。</translation>
    </message>
    <message>
        <source>Width inside each expert. It stands in place of a feed-forward block.</source>
        <translation>每个专家内部的宽度。它取代一个前馈块。</translation>
    </message>
    <message>
        <source>Width of the model: numbers per token between layers. In a cnn it is the number of channels of the first block; each further block has twice as many as the one before, up to 8 times as many as the first.</source>
        <translation>模型的宽度：层之间每个 token 的数值个数。在 cnn 中为第一个块的通道数；此后每个块是前一个的两倍，最多为第一个的 8 倍。</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>注意力窗口</translation>
    </message>
    <message>
        <source>With a gate of sigmoids: by how much a step moves the bias that each expert&apos;s score has for the choice alone. It falls where more tokens chose the expert than the mean, and rises where fewer did, which evens out the load without a loss (DeepSeek-V3: 0.001).</source>
        <translation>使用 sigmoid 门控时：每一步把各专家得分中仅用于选择的偏置移动多少。选择该专家的 token 多于平均时减小，少于平均时增大，从而不用损失项就能均衡负载（DeepSeek-V3：0.001）。</translation>
    </message>
    <message>
        <source>With a size limit, every k-th of the steps before the last ones keeps its events too; this is k. Where these events no longer fit, k doubles.</source>
        <translation>有大小上限时，最后若干步之前的每第 k 步也保留事件；这里是 k。这些事件放不下时，k 翻倍。</translation>
    </message>
    <message>
        <source>With a size limit, so many steps at the end keep all their events.</source>
        <translation>有大小上限时，最后这么多步保留全部事件。</translation>
    </message>
    <message>
        <source>With a window, every so many layers one attends to all tokens all the same: 6 is five layers with the window, then one without.</source>
        <translation>有窗口时，每隔这么多层仍有一层关注所有 token：6 即五层有窗口，然后一层没有。</translation>
    </message>
    <message>
        <source>With the exchange easgd, how strongly a replica&apos;s weights and the centre pull each other, per unit of learning rate. At the largest learning rate, rate × ρ is the share of their distance that one exchange takes from each.</source>
        <translation>交换方式为 easgd 时，每单位学习率下副本权重与中心相互牵引的强度。在最大学习率下，学习率 × ρ 是一次交换中双方各自移动的距离比例。</translation>
    </message>
    <message>
        <source>Written by hand</source>
        <translation>手写</translation>
    </message>
    <message>
        <source>ZeRO</source>
        <translation>ZeRO</translation>
    </message>
    <message>
        <source>Zero bubble under a memory limit</source>
        <translation>有内存上限的零气泡</translation>
    </message>
    <message>
        <source>Zero bubble, ZB-H1</source>
        <translation>零气泡，ZB-H1</translation>
    </message>
    <message>
        <source>Zero bubble, ZB-V</source>
        <translation>零气泡，ZB-V</translation>
    </message>
    <message>
        <source>a small twin of DeepSeek-V3&apos;s attention in dense layers, data 2 × tensor 2, tokens split: keys and values of all heads come from one narrow latent of each token, and the latents come together one by one</source>
        <translation>稠密层中 DeepSeek-V3 注意力的缩小版，数据 2 × 张量 2，切分 token：所有头的键和值来自每个 token 的一个窄潜向量，各潜向量逐个汇集</translation>
    </message>
    <message>
        <source>a small twin of DeepSeek-V3, data 2 × pipeline 2: latent attention, a dense layer below, then 16 narrow experts of which a bias without a loss keeps the load even, one that every token goes to, and a module that predicts the token after next</source>
        <translation>DeepSeek-V3 的缩小版，数据 2 × 流水线 2：潜在注意力，最下面一个稠密层，然后是 16 个窄专家（由不带损失项的偏置保持负载均衡），以及一个每个 token 都经过的专家，还有一个预测再下一个 token 的模块</translation>
    </message>
    <message>
        <source>a small twin of Llama 3.1 with the tied output of its 1B, data 2 × pipeline 2: slow pairs of its rotary embedding turn slower</source>
        <translation>Llama 3.1 的缩小版，像其 1B 那样共享输出权重，数据 2 × 流水线 2：旋转位置编码中慢的数对旋转得更慢</translation>
    </message>
    <message>
        <source>a small twin of Mistral 7B, data 2 × tensor 2, tokens split: four heads of queries share one of keys, and a token attends to the last 16</source>
        <translation>Mistral 7B 的缩小版，数据 2 × 张量 2，切分 token：四个查询头共用一个键头，token 只关注最近 16 个</translation>
    </message>
    <message>
        <source>a small twin of Mixtral, data 2 × pipeline 2 with its experts spread over two ranks: each token goes to two of eight experts, whose rows have no limit</source>
        <translation>Mixtral 的缩小版，数据 2 × 流水线 2，专家分布于两个 rank：每个 token 去往八个专家中的两个，行数不限</translation>
    </message>
    <message>
        <source>a small twin of Nemotron-4, pipeline 4: rotary positions with layer norms and squared ReLU</source>
        <translation>Nemotron-4 的缩小版，流水线 4：旋转位置编码、层归一化和平方 ReLU</translation>
    </message>
    <message>
        <source>a small twin of Qwen3&apos;s mixtures, data 4 with ZeRO 2: 32 narrow experts spread over four ranks, eight of them for each token</source>
        <translation>Qwen3 混合专家模型的缩小版，数据 4，ZeRO 2：32 个窄专家分布于四个 rank，每个 token 使用其中八个</translation>
    </message>
    <message>
        <source>a small twin of Qwen3, tensor 2 × context 2: wide heads whose queries and keys are normed; their ranks add up the gradients of those norms</source>
        <translation>Qwen3 的缩小版，张量 2 × 上下文 2：较宽的头，查询和键带归一化；各 rank 把这些归一化的梯度相加</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>激活值</translation>
    </message>
    <message>
        <source>activations kept in fewer bits</source>
        <translation>低位数保存的激活值</translation>
    </message>
    <message>
        <source>activations: what a forward leaves for its backward goes to the host&apos;s memory over the device&apos;s link as soon as the forward is done, and comes back one action before the backward, where at least two other actions lie between them (GeePS). With recomputation it is the inputs of segments that go. It works with schedules that flush, and not where workers go on by themselves.</source>
        <translation>activations：前向一完成，留给反向的数据就经设备链路移到主机内存，并在反向的前一个动作时取回，前提是两者之间至少隔有两个其他动作（GeePS）。有重计算时，移走的是片段的输入。适用于会排空的调度，不适用于各 worker 独自前进的情况。</translation>
    </message>
    <message>
        <source>adamw is Adam with decoupled weight decay. adamw-8bit is the same with its moments in 8 bits, in blocks of 256 that share a scale: 2 bytes a parameter instead of 8. sgd is gradient descent with momentum. adafactor and sm3 keep one number for each row and one for each column of a matrix, instead of one or two for each element.</source>
        <translation>adamw 是权重衰减解耦的 Adam。adamw-8bit 与之相同，但各阶矩为 8 位，每 256 个一块共用一个缩放因子：每个参数 2 字节而不是 8 字节。sgd 是带动量的梯度下降。adafactor 和 sm3 对矩阵的每行和每列各保留一个数，而不是每个元素一两个数。</translation>
    </message>
    <message>
        <source>annotation</source>
        <translation>标注</translation>
    </message>
    <message>
        <source>as large as Switch-Base, 7.4 billion parameters in 128 experts a block with the work of a model of 0.2, in bf16 on 16 H100, data 4 × pipeline 4, a block&apos;s experts spread over its 4 data ranks: to plan</source>
        <translation>与 Switch-Base 一样大，每块 128 个专家共 74 亿参数，计算量相当于 2 亿参数的模型，bf16，16 块 H100，数据 4 × 流水线 4，一个块的专家分布于 4 个数据并行 rank：用于规划</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>batch</source>
        <translation>批次</translation>
    </message>
    <message>
        <source>batches</source>
        <translation>个批次</translation>
    </message>
    <message>
        <source>blocks</source>
        <translation>块</translation>
    </message>
    <message>
        <source>bubble</source>
        <translation>气泡</translation>
    </message>
    <message>
        <source>buffers</source>
        <translation>缓冲区</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>checkpoint</source>
        <translation>检查点</translation>
    </message>
    <message>
        <source>checkpoint write</source>
        <translation>写检查点</translation>
    </message>
    <message>
        <source>checkpoints</source>
        <translation>个检查点</translation>
    </message>
    <message>
        <source>cluster</source>
        <translation>集群</translation>
    </message>
    <message>
        <source>cnn of 4 blocks over images of 32 × 32 in colours, data 2 × pipeline 2: convolutions, ReLU and max-pool; the lower stage computes for longer than the upper, which has smaller maps</source>
        <translation>4 个块的 cnn，32 × 32 彩色图像，数据 2 × 流水线 2：卷积、ReLU 和最大池化；下面的阶段比上面的计算更久，因为上面的特征图更小</translation>
    </message>
    <message>
        <source>collective</source>
        <translation>集合通信</translation>
    </message>
    <message>
        <source>combine tokens</source>
        <translation>汇合 token</translation>
    </message>
    <message>
        <source>comm</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>compute at peak</source>
        <translation>峰值计算</translation>
    </message>
    <message>
        <source>context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>counter</source>
        <translation>计数器</translation>
    </message>
    <message>
        <source>data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>dispatch tokens</source>
        <translation>分发 token</translation>
    </message>
    <message>
        <source>dropped</source>
        <translation>丢弃</translation>
    </message>
    <message>
        <source>elastic distance</source>
        <translation>弹性距离</translation>
    </message>
    <message>
        <source>elastic exchange</source>
        <translation>弹性交换</translation>
    </message>
    <message>
        <source>ended</source>
        <translation>已结束</translation>
    </message>
    <message>
        <source>expert</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>expert load</source>
        <translation>专家负载</translation>
    </message>
    <message>
        <source>experts</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>exposed communication</source>
        <translation>暴露的通信</translation>
    </message>
    <message>
        <source>fault</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>fp8 flushed to zero</source>
        <translation>fp8 变为零</translation>
    </message>
    <message>
        <source>fp8 saturated</source>
        <translation>fp8 饱和</translation>
    </message>
    <message>
        <source>fp8 scale</source>
        <translation>fp8 缩放因子</translation>
    </message>
    <message>
        <source>free weights</source>
        <translation>释放权重</translation>
    </message>
    <message>
        <source>gather parameters</source>
        <translation>收集参数</translation>
    </message>
    <message>
        <source>generator makes seeded samples by itself: text, or images for cnn. text is a UTF-8 file. jsonl is a file with a JSON object a line, one field of which is a text. tokens are .bin files as nanoGPT (16 bits), llm.c (16 bits, or 32 for Llama 3) and Megatron (with an .idx beside each) write them.</source>
        <translation>generator 按随机种子自行生成样本：文本，或用于 cnn 的图像。text 是 UTF-8 文件。jsonl 是每行一个 JSON 对象的文件，其中一个字段是文本。tokens 是 nanoGPT（16 位）、llm.c（16 位，Llama 3 为 32 位）和 Megatron（各带一个 .idx）写出的 .bin 文件。</translation>
    </message>
    <message>
        <source>gpt is a transformer with the shape of GPT-2. mlp is the same without attention. gpt-moe is a gpt with experts in every second block, of which each token takes a few. llama has RMSNorm, rotary positions, SwiGLU and heads that share keys and values, and no biases; llama-moe is a llama with experts in every block. The fields below change the parts of gpt, llama and llama-moe one by one. cnn classifies images: its blocks are convolutions 3×3 with ReLU, each block followed by a max-pool 2×2, and a linear classifier ends it.</source>
        <translation>gpt 是 GPT-2 结构的 transformer。mlp 与之相同但没有注意力。gpt-moe 是每隔一块含专家的 gpt，每个 token 使用其中几个。llama 有 RMSNorm、旋转位置编码、SwiGLU 和共用键值的头，没有偏置项；llama-moe 是每个块都含专家的 llama。下面的字段可逐一改变 gpt、llama 和 llama-moe 的各个部分。cnn 对图像分类：其块为带 ReLU 的 3×3 卷积，每块之后是 2×2 最大池化，最后是线性分类器。</translation>
    </message>
    <message>
        <source>gpt of 10 layers in stages of 4, 2, 2 and 2: three ranks wait for the slow first one</source>
        <translation>10 层的 gpt，各阶段为 4、2、2、2 层：三个 rank 等待较慢的第一个</translation>
    </message>
    <message>
        <source>gpt of 4 layers, data 2 × pipeline 2, 1F1B, paced: bubbles, memory and a falling loss within a minute</source>
        <translation>4 层的 gpt，数据 2 × 流水线 2，1F1B，定速：一分钟内看到气泡、内存和下降的损失</translation>
    </message>
    <message>
        <source>gpt of 6 layers, hidden 192, on a text file of yours: set data.path</source>
        <translation>6 层的 gpt，隐藏维度 192，使用您自己的文本文件：请设置 data.path</translation>
    </message>
    <message>
        <source>gpt of 64 thin layers, pipeline 8, 16 microbatches, 1F1B: stages nearly equal, so that the bubble is the formula&apos;s</source>
        <translation>64 个薄层的 gpt，流水线 8，16 个微批次，1F1B：各阶段几乎相等，气泡与公式一致</translation>
    </message>
    <message>
        <source>gpt of 64 thin layers, pipeline 8, 16 microbatches, GPipe: stages nearly equal, so that the bubble is the formula&apos;s</source>
        <translation>64 个薄层的 gpt，流水线 8，16 个微批次，GPipe：各阶段几乎相等，气泡与公式一致</translation>
    </message>
    <message>
        <source>gpt with 8 experts in every second block, data 2 × pipeline 2, Switch: each token goes to one of them; the experts&apos; load and the tokens that find no place are counted</source>
        <translation>每隔一块有 8 个专家的 gpt，数据 2 × 流水线 2，Switch：每个 token 去往其中一个；统计专家负载和找不到位置的 token</translation>
    </message>
    <message>
        <source>gpt with dropout, data 2 × pipeline 2 × tensor 2 on eight ranks, as large clusters are laid out: all three kinds of communication in one timeline</source>
        <translation>带 dropout 的 gpt，数据 2 × 流水线 2 × 张量 2，共八个 rank，如同大型集群的布局：三种通信同在一条时间线上</translation>
    </message>
    <message>
        <source>gpt with dropout, tensor 4, tokens split: reduce-scatter and all-gather instead of tensor-4&apos;s all-reduce, a quarter of the activations between the products</source>
        <translation>带 dropout 的 gpt，张量 4，切分 token：以 reduce-scatter 和 all-gather 代替 tensor-4 的 all-reduce，矩阵乘法之间的激活值只有四分之一</translation>
    </message>
    <message>
        <source>gpt, data 2 at full speed: what two cores of this machine can do</source>
        <translation>gpt，数据 2，全速：本机两个核心能做到什么</translation>
    </message>
    <message>
        <source>gpt, data 2 × pipeline 4 on eight ranks: pipelines side by side, gradients averaged between them</source>
        <translation>gpt，数据 2 × 流水线 4，共八个 rank：流水线并列，梯度在它们之间平均</translation>
    </message>
    <message>
        <source>gpt, data 4, ZeRO 3: each replica keeps a quarter of parameters, gradients and optimizer state, and gathers every layer just before its use</source>
        <translation>gpt，数据 4，ZeRO 3：每个副本保存四分之一的参数、梯度和优化器状态，在使用每一层之前收集它</translation>
    </message>
    <message>
        <source>gpt, data 4: four replicas, one all-reduce a step, no bubble</source>
        <translation>gpt，数据 4：四个副本，每步一次 all-reduce，没有气泡</translation>
    </message>
    <message>
        <source>gpt, pipeline 4 folded back, DualPipe-V: forwards of one chunk beside backwards of the other</source>
        <translation>gpt，折返的流水线 4，DualPipe-V：一个模型块的前向与另一个的反向并行</translation>
    </message>
    <message>
        <source>gpt, pipeline 4 folded back, ZB-V: first and last stage on one rank, gradients come home soonest</source>
        <translation>gpt，折返的流水线 4，ZB-V：首尾阶段在同一个 rank 上，梯度最早返回</translation>
    </message>
    <message>
        <source>gpt, pipeline 4 with two chunks a rank, breadth-first: the bubble of interleaved-4 with GPipe&apos;s memory</source>
        <translation>gpt，流水线 4，每 rank 两个模型块，广度优先：气泡如 interleaved-4，内存如 GPipe</translation>
    </message>
    <message>
        <source>gpt, pipeline 4 with two chunks a rank, interleaved 1F1B: less bubble than 1f1b-4, twice the messages and more memory</source>
        <translation>gpt，流水线 4，每 rank 两个模型块，交错式 1F1B：气泡比 1f1b-4 少，消息加倍，内存更多</translation>
    </message>
    <message>
        <source>gpt, pipeline 4 without a flush, PipeDream-2BW: no bubble between steps, two versions of the weights, gradients one step late</source>
        <translation>gpt，不排空的流水线 4，PipeDream-2BW：步之间没有气泡，两个权重版本，梯度滞后一步</translation>
    </message>
    <message>
        <source>gpt, pipeline 4 without a flush, PipeDream: no bubble between steps, an update a microbatch, stage r keeps 4 − r versions of its weights</source>
        <translation>gpt，不排空的流水线 4，PipeDream：步之间没有气泡，每个微批次更新一次，阶段 r 保留 4 − r 个权重版本</translation>
    </message>
    <message>
        <source>gpt, pipeline 4, 8 microbatches, 1F1B: one forward, one backward; the bubble of gpipe-4 with half the memory</source>
        <translation>gpt，流水线 4，8 个微批次，1F1B：一次前向，一次反向；气泡如 gpipe-4，内存减半</translation>
    </message>
    <message>
        <source>gpt, pipeline 4, 8 microbatches, gpipe: all forwards, then all backwards; eight microbatches in memory at once</source>
        <translation>gpt，流水线 4，8 个微批次，gpipe：先全部前向，再全部反向；内存中同时有八个微批次</translation>
    </message>
    <message>
        <source>gpt, pipeline 4, ZB-H1: weight gradients put off into the bubble, half of 1f1b-4&apos;s is left for a tenth more memory</source>
        <translation>gpt，流水线 4，ZB-H1：权重梯度推迟到气泡中计算，多用十分之一的内存，气泡只剩 1f1b-4 的一半</translation>
    </message>
    <message>
        <source>gpt, pipeline 4, one microbatch at a time: three ranks of four always idle</source>
        <translation>gpt，流水线 4，每次一个微批次：四个 rank 中总有三个空闲</translation>
    </message>
    <message>
        <source>gpt, tensor 4: four ranks share every layer&apos;s heads and columns, one all-reduce after each half of a layer, no bubble</source>
        <translation>gpt，张量 4：四个 rank 分担每一层的头和列，每半层之后一次 all-reduce，没有气泡</translation>
    </message>
    <message>
        <source>gradient exponents</source>
        <translation>梯度指数</translation>
    </message>
    <message>
        <source>gradient norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>groups</source>
        <translation>组</translation>
    </message>
    <message>
        <source>hidden communication</source>
        <translation>被掩盖的通信</translation>
    </message>
    <message>
        <source>host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>host memory</source>
        <translation>主机内存</translation>
    </message>
    <message>
        <source>imbalance between stages</source>
        <translation>阶段之间不均衡</translation>
    </message>
    <message>
        <source>inject fault</source>
        <translation>注入故障</translation>
    </message>
    <message>
        <source>injected fault</source>
        <translation>注入的故障</translation>
    </message>
    <message>
        <source>input gradient</source>
        <translation>输入梯度</translation>
    </message>
    <message>
        <source>kernel</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>kernel starts</source>
        <translation>内核启动</translation>
    </message>
    <message>
        <source>key and value hop</source>
        <translation>键值传递</translation>
    </message>
    <message>
        <source>largest free block</source>
        <translation>最大空闲块</translation>
    </message>
    <message>
        <source>layer subtracts a mean, divides by the deviation and adds a shift that is learned; rms divides by the root of the mean square alone. default is layer in gpt and rms in llama.</source>
        <translation>layer 减去均值、除以标准差并加上可学习的偏移；rms 只除以均方根。default 在 gpt 中为 layer，在 llama 中为 rms。</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>层</translation>
    </message>
    <message>
        <source>layout</source>
        <translation>布局</translation>
    </message>
    <message>
        <source>learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>llama of 4 layers with 8 heads of queries and 4 of keys and values, pipeline 2 × tensor 2: RMSNorm, rotary positions and SwiGLU in the place of gpt&apos;s parts</source>
        <translation>4 层的 llama，8 个查询头、4 个键值头，流水线 2 × 张量 2：以 RMSNorm、旋转位置编码和 SwiGLU 代替 gpt 的相应部分</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>loss scale</source>
        <translation>损失缩放系数</translation>
    </message>
    <message>
        <source>mark</source>
        <translation>标记</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>memory copy</source>
        <translation>内存复制</translation>
    </message>
    <message>
        <source>memory peak</source>
        <translation>内存峰值</translation>
    </message>
    <message>
        <source>memory peak: activations</source>
        <translation>内存峰值：激活值</translation>
    </message>
    <message>
        <source>memory peak: buffers</source>
        <translation>内存峰值：缓冲区</translation>
    </message>
    <message>
        <source>memory peak: gradients</source>
        <translation>内存峰值：梯度</translation>
    </message>
    <message>
        <source>memory peak: optimizer</source>
        <translation>内存峰值：优化器</translation>
    </message>
    <message>
        <source>memory peak: parameters</source>
        <translation>内存峰值：参数</translation>
    </message>
    <message>
        <source>memory peak: temporary</source>
        <translation>内存峰值：临时</translation>
    </message>
    <message>
        <source>memory-bound passes</source>
        <translation>受内存限制的遍历</translation>
    </message>
    <message>
        <source>memory: activations</source>
        <translation>内存：激活值</translation>
    </message>
    <message>
        <source>memory: buffers</source>
        <translation>内存：缓冲区</translation>
    </message>
    <message>
        <source>memory: gradients</source>
        <translation>内存：梯度</translation>
    </message>
    <message>
        <source>memory: optimizer</source>
        <translation>内存：优化器</translation>
    </message>
    <message>
        <source>memory: parameters</source>
        <translation>内存：参数</translation>
    </message>
    <message>
        <source>memory: temporary</source>
        <translation>内存：临时</translation>
    </message>
    <message>
        <source>method</source>
        <translation>方法</translation>
    </message>
    <message>
        <source>microbatches</source>
        <translation>个微批次</translation>
    </message>
    <message>
        <source>mlp of 2 layers on one rank: ten seconds from start to a falling loss</source>
        <translation>一个 rank 上 2 层的 mlp：从启动到损失下降只要十秒</translation>
    </message>
    <message>
        <source>mlp, data 2, SGD with momentum: one number of state a parameter instead of two</source>
        <translation>mlp，数据 2，带动量的 SGD：每个参数的状态为一个数而不是两个</translation>
    </message>
    <message>
        <source>model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>offload gradients</source>
        <translation>卸载梯度</translation>
    </message>
    <message>
        <source>operation</source>
        <translation>运算</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>overflow</source>
        <translation>溢出</translation>
    </message>
    <message>
        <source>overload of cores</source>
        <translation>核心过载</translation>
    </message>
    <message>
        <source>overwritten updates</source>
        <translation>被覆盖的更新</translation>
    </message>
    <message>
        <source>pace overrun</source>
        <translation>定速超时</translation>
    </message>
    <message>
        <source>parallel</source>
        <translation>并行</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>per rank</source>
        <translation>每 rank</translation>
    </message>
    <message>
        <source>pipeline</source>
        <translation>流水线</translation>
    </message>
    <message>
        <source>pixels</source>
        <translation>像素</translation>
    </message>
    <message>
        <source>precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>pull weights</source>
        <translation>拉取权重</translation>
    </message>
    <message>
        <source>push gradients</source>
        <translation>推送梯度</translation>
    </message>
    <message>
        <source>ranks</source>
        <translation>个 rank</translation>
    </message>
    <message>
        <source>receive backward</source>
        <translation>接收反向</translation>
    </message>
    <message>
        <source>receive forward</source>
        <translation>接收前向</translation>
    </message>
    <message>
        <source>recomputation</source>
        <translation>重计算</translation>
    </message>
    <message>
        <source>recompute</source>
        <translation>重计算</translation>
    </message>
    <message>
        <source>reduce between copies</source>
        <translation>拷贝间归约</translation>
    </message>
    <message>
        <source>reduce bucket</source>
        <translation>归约梯度桶</translation>
    </message>
    <message>
        <source>reduce gradients</source>
        <translation>归约梯度</translation>
    </message>
    <message>
        <source>reduce norm</source>
        <translation>归约范数</translation>
    </message>
    <message>
        <source>reduce tied embedding</source>
        <translation>归约共享嵌入</translation>
    </message>
    <message>
        <source>reload weights</source>
        <translation>重新载入权重</translation>
    </message>
    <message>
        <source>replicas</source>
        <translation>个副本</translation>
    </message>
    <message>
        <source>resize</source>
        <translation>改变副本数</translation>
    </message>
    <message>
        <source>rest</source>
        <translation>其余</translation>
    </message>
    <message>
        <source>restart</source>
        <translation>重启</translation>
    </message>
    <message>
        <source>restarting</source>
        <translation>正在重启</translation>
    </message>
    <message>
        <source>resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>ring hop</source>
        <translation>环形传递</translation>
    </message>
    <message>
        <source>run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>running</source>
        <translation>正在运行</translation>
    </message>
    <message>
        <source>s</source>
        <translation>s</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>个样本</translation>
    </message>
    <message>
        <source>scatter gradients</source>
        <translation>分发梯度</translation>
    </message>
    <message>
        <source>schedule</source>
        <translation>调度</translation>
    </message>
    <message>
        <source>send backward</source>
        <translation>发送反向</translation>
    </message>
    <message>
        <source>send forward</source>
        <translation>发送前向</translation>
    </message>
    <message>
        <source>sequence-4 with its attention&apos;s probabilities computed again in the backward, and a learning rate that falls in half a wave: fewer activations for little work</source>
        <translation>在反向中重新计算注意力概率的 sequence-4，学习率沿半个余弦波下降：用很少的计算换取更少的激活值</translation>
    </message>
    <message>
        <source>setup</source>
        <translation>准备</translation>
    </message>
    <message>
        <source>shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>shard</source>
        <translation>分片</translation>
    </message>
    <message>
        <source>small kernels</source>
        <translation>小内核</translation>
    </message>
    <message>
        <source>snapshot</source>
        <translation>快照</translation>
    </message>
    <message>
        <source>source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>stack</source>
        <translation>软件栈</translation>
    </message>
    <message>
        <source>staleness</source>
        <translation>陈旧度</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>正在启动</translation>
    </message>
    <message>
        <source>stash weights</source>
        <translation>暂存权重</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>step once</source>
        <translation>单步</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>stopping</source>
        <translation>正在停止</translation>
    </message>
    <message>
        <source>swap free</source>
        <translation>释放换出</translation>
    </message>
    <message>
        <source>swap in</source>
        <translation>换入</translation>
    </message>
    <message>
        <source>swap out</source>
        <translation>换出</translation>
    </message>
    <message>
        <source>temporary</source>
        <translation>临时</translation>
    </message>
    <message>
        <source>tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>tensor all-gather</source>
        <translation>张量 all-gather</translation>
    </message>
    <message>
        <source>tensor all-reduce</source>
        <translation>张量 all-reduce</translation>
    </message>
    <message>
        <source>tensor reduce-scatter</source>
        <translation>张量 reduce-scatter</translation>
    </message>
    <message>
        <source>the convolutions of VGG-13 with a linear classifier, images of 224 × 224 in bf16 on 8 H100, data 8: activations outweigh weights by far; to plan</source>
        <translation>VGG-13 的卷积加线性分类器，224 × 224 图像，bf16，8 块 H100，数据 8：激活值远多于权重；用于规划</translation>
    </message>
    <message>
        <source>the default in bf16 with master weights in fp32: half the activations and messages, 16 bytes a parameter as before, nearly the default&apos;s loss curve</source>
        <translation>默认布局改用 bf16 和 fp32 主权重：激活值和消息减半，每个参数仍为 16 字节，损失曲线与默认布局几乎相同</translation>
    </message>
    <message>
        <source>the default in fp16, its loss weighted by 2⁻²⁴ as a small task among large ones would be: every gradient vanishes and nothing is learned; set loss_scale to dynamic with a scale of 16777216, and it learns as it would in fp32</source>
        <translation>默认布局改用 fp16，损失乘以 2⁻²⁴，如同大任务中的一个小任务：所有梯度变为零，学不到任何东西；把 loss_scale 设为 dynamic、系数设为 16777216，就能像 fp32 那样学习</translation>
    </message>
    <message>
        <source>the default in fp16, whose loss scale begins far too large: the first steps overflow and are left out until it fits, then it doubles every 20 steps until one overflows again</source>
        <translation>默认布局改用 fp16，损失缩放系数起初过大：最初几步溢出而被跳过，直到系数合适，此后每 20 步翻倍，直到再次溢出</translation>
    </message>
    <message>
        <source>tied projects onto the vocabulary with the token embedding, separate with a matrix of its own. default is tied in gpt and separate in llama and llama-moe.</source>
        <translation>tied 用 token 嵌入矩阵投影到词表，separate 用单独的矩阵。default 在 gpt 中为 tied，在 llama 和 llama-moe 中为 separate。</translation>
    </message>
    <message>
        <source>times</source>
        <translation>次</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>个 token</translation>
    </message>
    <message>
        <source>tokens dropped</source>
        <translation>丢弃的 token</translation>
    </message>
    <message>
        <source>tokens per second</source>
        <translation>每秒 token 数</translation>
    </message>
    <message>
        <source>turns</source>
        <translation>圈</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>validation loss</source>
        <translation>验证损失</translation>
    </message>
    <message>
        <source>wait</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>weight gradient</source>
        <translation>权重梯度</translation>
    </message>
    <message>
        <source>weight versions</source>
        <translation>权重版本</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Attention cap</source>
        <translation>注意力上限</translation>
    </message>
    <message>
        <source>BLOOM 176B in bf16 on 384 A100, data 8 × pipeline 12 × tensor 4, ZeRO 1, every block computed again, embedding and output counted as a layer each, as BigScience trained it; the published model has a norm behind its token embedding too; to plan</source>
        <translation>BLOOM 176B，bf16，384 块 A100，数据 8 × 流水线 12 × 张量 4，ZeRO 1，每个块重新计算，嵌入和输出各算一层，与 BigScience 的训练相同；已发表的模型在 token 嵌入之后还有一个归一化；用于规划</translation>
    </message>
    <message>
        <source>Context method</source>
        <translation>上下文方法</translation>
    </message>
    <message>
        <source>Expert tensor</source>
        <translation>专家张量</translation>
    </message>
    <message>
        <source>How the ranks of a context group compute attention. ring: keys and values travel round them, while each works on the block that it has. ulysses: an all-to-all gives each rank all tokens of a part of the heads, and another gives the outputs back; tensor and context degree together divide the heads.</source>
        <translation>上下文组的各 rank 如何计算注意力。ring：键和值沿环传递，每个 rank 同时处理自己手上的块。ulysses：一次 all-to-all 让每个 rank 得到一部分头的全部 token，另一次把输出送回；张量并行度与上下文并行度之积整除头数。</translation>
    </message>
    <message>
        <source>Logit cap</source>
        <translation>logit 上限</translation>
    </message>
    <message>
        <source>Logits l become cap × tanh(l ÷ cap), and stay between −cap and cap (Gemma 2 has 30).</source>
        <translation>logit l 变为 cap × tanh(l ÷ cap)，保持在 −cap 与 cap 之间（Gemma 2 为 30）。</translation>
    </message>
    <message>
        <source>Ranks that divide the tokens of each sample among themselves. In attention, where each token looks at all before it, they meet as the context method says.</source>
        <translation>共同划分每个样本的 token 的 rank 数。在注意力中，每个 token 要看它之前的所有 token，它们按上下文方法交换。</translation>
    </message>
    <message>
        <source>Scores s of an attention become cap × tanh(s ÷ cap), and stay between −cap and cap (Gemma 2 has 50).</source>
        <translation>注意力的得分 s 变为 cap × tanh(s ÷ cap)，保持在 −cap 与 cap 之间（Gemma 2 为 50）。</translation>
    </message>
    <message>
        <source>Sinks</source>
        <translation>汇点</translation>
    </message>
    <message>
        <source>So many neighbours of a tensor group cut each expert among themselves (MoE parallel folding). The parts of the group then hold different experts; with 1 each expert is whole on one rank while all else is cut. Tensor divided by this number divides expert.</source>
        <translation>张量组中这么多个相邻的 rank 共同切分每个专家（MoE 并行折叠）。这时组的各部分持有不同的专家；为 1 时，每个专家完整地位于一个 rank 上，而其余一切仍被切分。张量并行度除以该数所得的商整除专家并行度。</translation>
    </message>
    <message>
        <source>So many ranks spread the experts of a model over themselves and send each other tokens: neighbours in the context group and along data, and where experts have a tensor degree of their own, the parts of a tensor group too. The number divides experts. It adds no ranks: the product of the other degrees is the number of devices.</source>
        <translation>这么多个 rank 分担模型的专家，并互相发送 token：上下文组内和数据轴上相邻的 rank；专家有自己的张量并行度时，还有张量组的各部分。该数整除专家数。它不增加 rank：其他并行度之积就是设备数。</translation>
    </message>
    <message>
        <source>Whether each head of an attention has a learned score that takes part in the softmax over the scores of the tokens and has no value (GPT-OSS): a head may attend to nothing.</source>
        <translation>注意力的每个头是否有一个可学习的得分，它参与对各 token 得分的 softmax，但没有值（GPT-OSS）：一个头可以什么也不关注。</translation>
    </message>
    <message>
        <source>a small twin of BLOOM, tensor 2 × context 2: no positions, but in each of six heads a score falls with the distance by a slope of its own, whichever rank has the head and the key</source>
        <translation>BLOOM 的缩小版，张量 2 × 上下文 2：没有位置编码，六个头中每个头的得分按各自的斜率随距离下降，无论头和键在哪个 rank 上</translation>
    </message>
    <message>
        <source>a small twin of MPT, data 4 with ZeRO 3: scores fall with the distance, exact GELU, no biases</source>
        <translation>MPT 的缩小版，数据 4，ZeRO 3：得分随距离下降，精确的 GELU，没有偏置项</translation>
    </message>
    <message>
        <source>expert_tensor</source>
        <translation>专家张量</translation>
    </message>
    <message>
        <source>learned adds a table of positions to the token embedding; rotary turns queries and keys by their position; alibi lowers the score of a key with its distance, in each head by a slope of its own (BLOOM, MPT). default is learned in gpt and rotary in llama and llama-moe.</source>
        <translation>learned 给 token 嵌入加上一张位置表；rotary 按位置旋转查询和键；alibi 按距离降低键的得分，每个头有各自的斜率（BLOOM、MPT）。default 在 gpt 中为 learned，在 llama 和 llama-moe 中为 rotary。</translation>
    </message>
    <message>
        <source>tokens for heads</source>
        <translation>用头换 token</translation>
    </message>
    <message>
        <source>gather choices</source>
        <translation>收集选择</translation>
    </message>
    <message>
        <source>Largest number that a gate of swiglu-clamped takes, and largest size of the value that it multiplies; what is beyond counts as the limit, and its gradient as 0.</source>
        <translation>swiglu-clamped 的门所取的最大数，也是它所乘的值的最大绝对值；超出的按上限计，其梯度为 0。</translation>
    </message>
    <message>
        <source>Factor of a gate within the sigmoid of swiglu-clamped: 1 is SiLU, 1.702 nearly GELU.</source>
        <translation>swiglu-clamped 的 sigmoid 之内门的系数：1 即 SiLU，1.702 接近 GELU。</translation>
    </message>
    <message>
        <source>Whether the two pairs between which yarn changes from pairs that stay to pairs that are slowed down are rounded to whole pairs, away from each other. GPT-OSS does not round them.</source>
        <translation>yarn 从保持不变的对过渡到放慢的对，其间的两个边界对是否取整为整数对，向彼此远离的方向取整。GPT-OSS 不取整。</translation>
    </message>
    <message>
        <source>Whether the score that a gate gives each expert has a bias that is learned, which counts for the choice and for the weights (GPT-OSS). Scores of groups, and what makes noise, have none.</source>
        <translation>门控给每个专家的得分是否有可学习的偏置，它既影响选择，也影响权重（GPT-OSS）。组的得分以及产生噪声的部分没有偏置。</translation>
    </message>
    <message>
        <source>SwiGLU limit</source>
        <translation>SwiGLU 上限</translation>
    </message>
    <message>
        <source>SwiGLU alpha</source>
        <translation>SwiGLU 系数 alpha</translation>
    </message>
    <message>
        <source>RoPE truncate</source>
        <translation>RoPE 取整</translation>
    </message>
    <message>
        <source>Score bias</source>
        <translation>得分偏置</translation>
    </message>
    <message>
        <source>a small twin of GPT-OSS, data 2 × pipeline 2: clamped gates, biases everywhere, heads with sinks, a window in every second layer, 8 experts over both replicas, no token dropped</source>
        <translation>GPT-OSS 的缩小版，数据 2 × 流水线 2：有界的门，处处有偏置，注意力头有汇点，每两层中一层有窗口，8 个专家分布在两个副本上，不丢弃 token</translation>
    </message>
    <message>
        <source>only with the RoPE scaling yarn</source>
        <translation>仅用于 RoPE 缩放 yarn</translation>
    </message>
    <message>
        <source>only with the activation swiglu-clamped</source>
        <translation>仅用于激活函数 swiglu-clamped</translation>
    </message>
    <message>
        <source> of one host: only the sums between copies cross the network</source>
        <translation>，都在同一台主机内：只有各拷贝之间的求和经过网络</translation>
    </message>
    <message>
        <source>&quot;text&quot;, say</source>
        <translation>例如 &quot;text&quot;</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is no host name</source>
        <translation>“{}”不是主机名</translation>
    </message>
    <message>
        <source>&quot;{}&quot; stands twice</source>
        <translation>“{}”出现了两次</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is no fault that can be brought about</source>
        <translation>&apos;{}&apos; 不是可以注入的故障</translation>
    </message>
    <message>
        <source>, some of which span several hosts</source>
        <translation>，其中有些跨越多台主机</translation>
    </message>
    <message>
        <source>, whose products are in {}</source>
        <translation>，其乘法用 {}</translation>
    </message>
    <message>
        <source>. The profile is noisy: {}, so predictions from it may be far off. Measure again with shardlab profile while nothing else runs</source>
        <translation>。该性能剖析有噪声：{}，因此由它作出的预测可能相差很远。请在没有其他程序运行时用 shardlab profile 重新测量</translation>
    </message>
    <message>
        <source>0 to {:.9g}; or the schedule constant</source>
        <translation>0 到 {}；或使用曲线 constant</translation>
    </message>
    <message>
        <source>0 to {}; or a model without experts</source>
        <translation>0 到 {}；或使用没有专家的模型</translation>
    </message>
    <message>
        <source>0, as all else; or a parallel.expert that is a multiple of {}</source>
        <translation>0，与其余部分相同；或 parallel.expert 取 {} 的倍数</translation>
    </message>
    <message>
        <source>0: this layout has no other size</source>
        <translation>0：该布局没有其他副本数</translation>
    </message>
    <message>
        <source>0; 3 with parallel.partition layers; or optimizer.kind {}</source>
        <translation>0；3 且 parallel.partition 取 layers；或 optimizer.kind 取 {}</translation>
    </message>
    <message>
        <source>0; or a model without experts</source>
        <translation>0；或使用没有专家的模型</translation>
    </message>
    <message>
        <source>0; or a schedule with a flush, 1f1b</source>
        <translation>0；或使用会排空的调度，如 1f1b</translation>
    </message>
    <message>
        <source>0; or model.kind gpt-moe or llama-moe</source>
        <translation>0；或 model.kind 取 gpt-moe 或 llama-moe</translation>
    </message>
    <message>
        <source>0; or parallel.data of at least 2; or 3 with memory.offload parameters</source>
        <translation>0；或 parallel.data 至少为 2；或与 memory.offload parameters 同用的 3</translation>
    </message>
    <message>
        <source>0; or parallel.exchange allreduce</source>
        <translation>0；或 parallel.exchange 取 allreduce</translation>
    </message>
    <message>
        <source>0; or parallel.exchange allreduce or server</source>
        <translation>0；或 parallel.exchange 取 allreduce 或 server</translation>
    </message>
    <message>
        <source>0; or parallel.exchange allreduce, server or hogwild</source>
        <translation>0；或 parallel.exchange 取 allreduce、server 或 hogwild</translation>
    </message>
    <message>
        <source>0; or parallel.exchange async-server</source>
        <translation>0；或 parallel.exchange 取 async-server</translation>
    </message>
    <message>
        <source>0; or parallel.zero 1 to 3</source>
        <translation>0；或 parallel.zero 取 1 到 3</translation>
    </message>
    <message>
        <source>1 data rank</source>
        <translation>1 个数据并行 rank</translation>
    </message>
    <message>
        <source>1 expert</source>
        <translation>1 个专家</translation>
    </message>
    <message>
        <source>1 layer and experts in every {}. block</source>
        <translation>只有 1 层，而每 {} 个块才有专家</translation>
    </message>
    <message>
        <source>1 microbatch</source>
        <translation>1 个微批次</translation>
    </message>
    <message>
        <source>1 or more; or run.min_data 0</source>
        <translation>1 或更大；或 run.min_data 取 0</translation>
    </message>
    <message>
        <source>1 rank with the same</source>
        <translation>1 个持有相同内容的 rank</translation>
    </message>
    <message>
        <source>1 to 10000</source>
        <translation>1 到 10000</translation>
    </message>
    <message>
        <source>1 to {}</source>
        <translation>1 到 {}</translation>
    </message>
    <message>
        <source>1 worker</source>
        <translation>1 个工作者</translation>
    </message>
    <message>
        <source>1, with data and pipeline parallelism</source>
        <translation>1，使用数据并行和流水线并行</translation>
    </message>
    <message>
        <source>1, with the schedule 1f1b, gpipe or naive</source>
        <translation>1，调度用 1f1b、gpipe 或 naive</translation>
    </message>
    <message>
        <source>1; or model.kind gpt-moe or llama-moe</source>
        <translation>1；或 model.kind 取 gpt-moe 或 llama-moe</translation>
    </message>
    <message>
        <source>1; or parallel.exchange allreduce, server or easgd</source>
        <translation>1；或 parallel.exchange 取 allreduce、server 或 easgd</translation>
    </message>
    <message>
        <source>{}; or an optimizer that keeps moments of each weight</source>
        <translation>{}；或使用为每个权重保留矩的优化器</translation>
    </message>
    <message>
        <source>2 to {}</source>
        <translation>2 到 {}</translation>
    </message>
    <message>
        <source>256 or more</source>
        <translation>256 或更大</translation>
    </message>
    <message>
        <source>AdamW keeps a first and a second moment</source>
        <translation>AdamW 保留一阶矩和二阶矩</translation>
    </message>
    <message>
        <source>E4M3 has 18 powers of two in all</source>
        <translation>E4M3 一共有 18 个 2 的幂</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>HSDP: {} copies of what ZeRO {} divides, each over {} ranks{}; a rank holds {} × as much of it as if all {} replicas shared one copy</source>
        <translation>HSDP：ZeRO {1} 所切分的状态有 {0} 份拷贝，每份分布于 {2} 个 rank{3}；一个 rank 持有的量是全部 {5} 个副本共享一份拷贝时的 {4} ×</translation>
    </message>
    <message>
        <source>ZeRO 2 scatters the gradients of each of {} microbatches: its traffic is {} × that of ZeRO 1, which reduces once a step</source>
        <translation>ZeRO 2 对 {} 个微批次中的每一个都分散梯度：其流量是每步只归约一次的 ZeRO 1 的 {} ×</translation>
    </message>
    <message>
        <source>ZeRO 3 gathers every layer for each forward and each backward of {}: its traffic is {} × the parameters a step, while that of ZeRO 1 is 2 ×</source>
        <translation>ZeRO 3 为 {} 的每次前向和每次反向收集每一层：其每步流量是参数量的 {} ×，而 ZeRO 1 是 2 ×</translation>
    </message>
    <message>
        <source>ZeRO divides a copy over several ranks, and here each has a whole one</source>
        <translation>ZeRO 在多个 rank 之间切分一份拷贝，而这里每个 rank 都有完整的一份</translation>
    </message>
    <message>
        <source>ZeRO divides state over the data replicas, and there is only one</source>
        <translation>ZeRO 在数据副本之间切分状态，而副本只有一个</translation>
    </message>
    <message>
        <source>ZeRO has the stages 0 to 3</source>
        <translation>ZeRO 有 0 到 3 级</translation>
    </message>
    <message>
        <source>ZeRO {} with one replica</source>
        <translation>ZeRO {} 只有一个副本</translation>
    </message>
    <message>
        <source>ZeRO {} with the exchange {}</source>
        <translation>ZeRO {} 与交换方式 {} 同用</translation>
    </message>
    <message>
        <source>a .bin file, or a folder of them</source>
        <translation>一个 .bin 文件，或存放它们的文件夹</translation>
    </message>
    <message>
        <source>a GPT-2 has layer norms, learned positions, biases, GELU and a tied output, no sinks and no caps</source>
        <translation>GPT-2 有 LayerNorm、可学习的位置编码、偏置、GELU 和共享权重的输出，没有 sink，也没有上限</translation>
    </message>
    <message>
        <source>a bias of the choice with the exchange {}</source>
        <translation>选择偏置与交换方式 {} 同用</translation>
    </message>
    <message>
        <source>a bias of the choice with {}</source>
        <translation>选择偏置与 {} 同用</translation>
    </message>
    <message>
        <source>a block has one at least, and each has weights of its own</source>
        <translation>一个块至少有一个，且每个都有自己的权重</translation>
    </message>
    <message>
        <source>a bucket holds at least one layer, and 0 stands for one reduction after the backward</source>
        <translation>一个梯度桶至少容纳一层，0 表示在反向之后归约一次</translation>
    </message>
    <message>
        <source>a byte is a token, and there are 256</source>
        <translation>一个字节就是一个 token，共有 256 个</translation>
    </message>
    <message>
        <source>a cap is a size, and beyond the largest one fp32 would lose the numbers below</source>
        <translation>上限是一个大小，超过最大值时 fp32 会丢失其下的数</translation>
    </message>
    <message>
        <source>a cap of {} presses all {} together</source>
        <translation>上限 {} 把所有{}挤在一起</translation>
    </message>
    <message>
        <source>a capacity that is not known</source>
        <translation>容量未知</translation>
    </message>
    <message>
        <source>a cnn classifies images and reads no text</source>
        <translation>cnn 对图像分类，不读取文本</translation>
    </message>
    <message>
        <source>a context group of {} ranks with the exchange {}</source>
        <translation>{} 个 rank 的上下文组与交换方式 {} 同用</translation>
    </message>
    <message>
        <source>a copy holds every expert, and a group of ranks that hold all experts lies within one copy</source>
        <translation>一份拷贝包含所有专家，而持有全部专家的一组 rank 位于同一份拷贝之内</translation>
    </message>
    <message>
        <source>a copy on a single rank</source>
        <translation>一份拷贝只在单个 rank 上</translation>
    </message>
    <message>
        <source>a copy over {} data ranks with experts over {}</source>
        <translation>一份拷贝分布于 {} 个数据并行 rank，而专家分布于 {} 个</translation>
    </message>
    <message>
        <source>a fault after {} steps would never happen</source>
        <translation>{} 步之后的故障永远不会发生</translation>
    </message>
    <message>
        <source>a file has no negative size</source>
        <translation>文件大小不能为负</translation>
    </message>
    <message>
        <source>a gate chooses among two or more, and each has kernels of its own</source>
        <translation>门控在两个或更多之中选择，且每个都有自己的内核</translation>
    </message>
    <message>
        <source>a gate chooses among two or more, of two experts or more each</source>
        <translation>门控在两个或更多组之中选择，每组有两个或更多专家</translation>
    </message>
    <message>
        <source>a head is {} wide</source>
        <translation>一个头宽 {}</translation>
    </message>
    <message>
        <source>a head is {} wide, {} of it turned</source>
        <translation>一个头宽 {}，其中 {} 参与旋转</translation>
    </message>
    <message>
        <source>a history has an entry for each step</source>
        <translation>历史中每一步有一项</translation>
    </message>
    <message>
        <source>a host gives all its devices in one entry</source>
        <translation>一台主机在一项中给出它的全部设备</translation>
    </message>
    <message>
        <source>a host, {}</source>
        <translation>一台主机，{}</translation>
    </message>
    <message>
        <source>a layout has no field of this name</source>
        <translation>布局没有这个名称的字段</translation>
    </message>
    <message>
        <source>a limit of {} is too small</source>
        <translation>{} 的上限太小</translation>
    </message>
    <message>
        <source>a line for each pipeline rank, {}; or a kind of schedule that makes its own order</source>
        <translation>每个流水线 rank 一行，{}；或使用自行生成顺序的调度</translation>
    </message>
    <message>
        <source>a link&apos;s bandwidth is a positive number</source>
        <translation>链路的带宽是正数</translation>
    </message>
    <message>
        <source>a list of hosts, {}</source>
        <translation>主机的列表，{}</translation>
    </message>
    <message>
        <source>a loss scale does nothing for fp32, whose smallest numbers are 2⁻¹⁴⁹</source>
        <translation>损失缩放对 fp32 没有作用，其最小的数为 2⁻¹⁴⁹</translation>
    </message>
    <message>
        <source>a loss scale is needless with bf16, whose exponents are those of fp32</source>
        <translation>bf16 不需要损失缩放，其指数范围与 fp32 相同</translation>
    </message>
    <message>
        <source>a loss scale with the exchange {}</source>
        <translation>损失缩放与交换方式 {} 同用</translation>
    </message>
    <message>
        <source>a loss without weight teaches nothing, and fp32 ends at 3e38</source>
        <translation>没有权重的损失什么也学不到，而 fp32 止于 3e38</translation>
    </message>
    <message>
        <source>a mean needs at least one batch</source>
        <translation>求平均至少需要一个批次</translation>
    </message>
    <message>
        <source>a microbatch&apos;s backward may be in another step than its forward, and how long it is unused differs from one to the next</source>
        <translation>一个微批次的反向可能与其前向不在同一步，闲置的时间每次不同</translation>
    </message>
    <message>
        <source>a microbatch&apos;s forward and backward lie in different steps, and would round the same tensor with different scales</source>
        <translation>一个微批次的前向与反向位于不同的步，会用不同的缩放因子舍入同一个张量</translation>
    </message>
    <message>
        <source>a model.experts that has divisors</source>
        <translation>model.experts 取可整除的数</translation>
    </message>
    <message>
        <source>a model.experts that is a multiple of {}</source>
        <translation>model.experts 取 {} 的倍数</translation>
    </message>
    <message>
        <source>a moment that keeps everything never forgets its start</source>
        <translation>保留一切的矩永远忘不掉它的起点</translation>
    </message>
    <message>
        <source>a negative pull grows the weights without end</source>
        <translation>负的拉力会使权重无限增长</translation>
    </message>
    <message>
        <source>a negative rate would drive all tokens to few experts, and scores lie between 0 and 1</source>
        <translation>负的速率会把所有 token 推向少数专家，而得分在 0 到 1 之间</translation>
    </message>
    <message>
        <source>a negative rate would go uphill</source>
        <translation>负的学习率会朝上坡走</translation>
    </message>
    <message>
        <source>a negative weight would drive all tokens to one expert</source>
        <translation>负的权重会把所有 token 推向一个专家</translation>
    </message>
    <message>
        <source>a network&apos;s bandwidth is a positive number</source>
        <translation>网络的带宽是正数</translation>
    </message>
    <message>
        <source>a norm is not negative</source>
        <translation>范数不为负</translation>
    </message>
    <message>
        <source>a pair is turned at least, or positions were not told apart</source>
        <translation>至少要旋转一个数对，否则无法区分位置</translation>
    </message>
    <message>
        <source>a pixel has at least one number</source>
        <translation>一个像素至少有一个数</translation>
    </message>
    <message>
        <source>a processor has no products of 8 bits: codes are read back and multiplied in fp32, which shows the losses of the format and not its speed</source>
        <translation>处理器没有 8 位乘法：编码读回后用 fp32 相乘，这体现格式的精度损失，而不体现其速度</translation>
    </message>
    <message>
        <source>a pull is not negative</source>
        <translation>拉力不为负</translation>
    </message>
    <message>
        <source>a rank keeps several whole versions of its stage&apos;s weights, which shards would have to follow</source>
        <translation>一个 rank 保留其阶段权重的多个完整版本，分片就必须跟随这些版本</translation>
    </message>
    <message>
        <source>a replica needs another one to exchange with</source>
        <translation>一个副本需要另一个副本与之交换</translation>
    </message>
    <message>
        <source>a replica would own experts that it does not hold</source>
        <translation>一个副本会拥有它并不持有的专家</translation>
    </message>
    <message>
        <source>a restart goes on from a checkpoint, and it takes none</source>
        <translation>重启要从检查点继续，而它不写检查点</translation>
    </message>
    <message>
        <source>a ring with the exchange {}</source>
        <translation>交换方式 {} 使用环</translation>
    </message>
    <message>
        <source>a run has at least one step</source>
        <translation>一次运行至少有一步</translation>
    </message>
    <message>
        <source>a run has parallel.data replicas at most</source>
        <translation>一次运行最多有 parallel.data 个副本</translation>
    </message>
    <message>
        <source>a scale for each tensor, from its present values</source>
        <translation>每个张量一个缩放因子，取自其当前值</translation>
    </message>
    <message>
        <source>a scale for each tensor, from the {} steps before</source>
        <translation>每个张量一个缩放因子，取自此前 {} 步</translation>
    </message>
    <message>
        <source>a schedule written by hand is what the layout lists</source>
        <translation>手写的调度就是布局所列的内容</translation>
    </message>
    <message>
        <source>a segment has at least one block</source>
        <translation>一个片段至少有一个块</translation>
    </message>
    <message>
        <source>a sequence of {} tokens cannot be cut into {} equal pieces</source>
        <translation>{} 个 token 的序列无法切成 {} 个等长的片段</translation>
    </message>
    <message>
        <source>a single class is known without looking, and classes are numbered with 16 bits</source>
        <translation>只有一个类别时不看也知道，而类别用 16 位编号</translation>
    </message>
    <message>
        <source>a smaller capacity or microbatch, or fewer experts</source>
        <translation>更小的容量或微批次，或更少的专家</translation>
    </message>
    <message>
        <source>a product of degrees of at most {}, with as many devices in cluster.hosts</source>
        <translation>并行度的乘积不超过 {}，且 cluster.hosts 中有同样多的设备</translation>
    </message>
    <message>
        <source>a step must be long enough to wait for and short enough to watch</source>
        <translation>一步要长到可以等待，又短到可以观看</translation>
    </message>
    <message>
        <source>a step of a replica would have {:.0f} forwards</source>
        <translation>一个副本的一步会有 {} 次前向</translation>
    </message>
    <message>
        <source>a sum of {}</source>
        <translation>总和为 {}</translation>
    </message>
    <message>
        <source>a sum of {}, for instance {}</source>
        <translation>总和为 {}，例如 {}</translation>
    </message>
    <message>
        <source>a tensor group consists of whole parts, in each of which so many neighbours cut an expert among themselves</source>
        <translation>张量组由若干完整的部分组成，每个部分中这么多个相邻 rank 共同切分一个专家</translation>
    </message>
    <message>
        <source>a token can be taken by at least one expert</source>
        <translation>一个 token 至少可由一个专家处理</translation>
    </message>
    <message>
        <source>a token goes to a group once</source>
        <translation>一个 token 去往同一个组只有一次</translation>
    </message>
    <message>
        <source>a token goes to an expert once</source>
        <translation>一个 token 去往同一个专家只有一次</translation>
    </message>
    <message>
        <source>a token uses {} of {} parameters; {}</source>
        <translation>一个 token 使用 {1} 个参数中的 {0} 个；{2}</translation>
    </message>
    <message>
        <source>a whole number from {} to {}</source>
        <translation>{} 到 {} 的整数</translation>
    </message>
    <message>
        <source>a worker holds the model in one piece</source>
        <translation>工作者完整地持有整个模型</translation>
    </message>
    <message>
        <source>a worker reads and writes all of the weights by itself, and ranks of one worker would have to read the same ones</source>
        <translation>每个工作者独自读写全部权重，同一工作者的各 rank 就必须读到相同的权重</translation>
    </message>
    <message>
        <source>a worker&apos;s gradient goes to the server at once and whole, and ranks of one worker would have to take turns at the lock together</source>
        <translation>工作者的梯度一次完整地送到服务器，同一工作者的各 rank 就必须一起轮流持锁</translation>
    </message>
    <message>
        <source>above 1 the first updates would be remembered for ever</source>
        <translation>大于 1 时最初的更新会被永远记住</translation>
    </message>
    <message>
        <source>activations and their gradients between {} pipeline ranks</source>
        <translation>{} 个流水线 rank 之间的激活值及其梯度</translation>
    </message>
    <message>
        <source>activations and their gradients, all-reduce</source>
        <translation>激活值及其梯度，all-reduce</translation>
    </message>
    <message>
        <source>activations and their gradients, reduce-scatter and all-gather</source>
        <translation>激活值及其梯度，reduce-scatter 和 all-gather</translation>
    </message>
    <message>
        <source>activations and their gradients, send</source>
        <translation>激活值及其梯度，发送</translation>
    </message>
    <message>
        <source>activations in fewer bits: the maps of a microbatch take {} instead of {}</source>
        <translation>激活值用更少的位：一个微批次的特征图占 {}，而不是 {}</translation>
    </message>
    <message>
        <source>lossless activations: maps that are convolved again are kept without their zeros, and the data decide how many these are; the plan takes half of the numbers to be 0, which is what a ReLU cuts at first</source>
        <translation>无损激活值：再次被卷积的特征图去掉零保存，有多少个零由数据决定；计划取一半的数为零，这是 ReLU 在开始时截去的份额</translation>
    </message>
    <message>
        <source>activations on the host with the exchange {}</source>
        <translation>激活值放在主机上，与交换方式 {} 同用</translation>
    </message>
    <message>
        <source>activations on the host with {}</source>
        <translation>激活值放在主机上，与 {} 同用</translation>
    </message>
    <message>
        <source>activations on the host: the activations of a forward lie in the host&apos;s memory where at least two actions lie between the forward and its backward, and come back while the last of these actions computes; with recomputation, only the inputs of segments are swapped</source>
        <translation>激活值放在主机上：前向与其反向之间至少隔两个动作时，该前向的激活值放在主机内存中，并在其中最后一个动作计算时送回；有重计算时只换出片段的输入</translation>
    </message>
    <message>
        <source>activations to the host and back</source>
        <translation>激活值往返于主机</translation>
    </message>
    <message>
        <source>after 0 to {}</source>
        <translation>在 0 到 {} 步之后</translation>
    </message>
    <message>
        <source>all its microbatches of a step use one version of the weights anyway</source>
        <translation>它一步中的所有微批次本来就使用同一个权重版本</translation>
    </message>
    <message>
        <source>all workers share the weights, and there is no optimizer state</source>
        <translation>所有工作者共享权重，没有优化器状态</translation>
    </message>
    <message>
        <source>allreduce; or a schedule with a flush, 1f1b</source>
        <translation>allreduce；或使用会排空的调度，如 1f1b</translation>
    </message>
    <message>
        <source>allreduce; or parallel.data of at least 2</source>
        <translation>allreduce；或 parallel.data 至少为 2</translation>
    </message>
    <message>
        <source>allreduce; or parallel.expert 1</source>
        <translation>allreduce；或 parallel.expert 取 1</translation>
    </message>
    <message>
        <source>an elastic run has no checkpoints</source>
        <translation>弹性运行没有检查点</translation>
    </message>
    <message>
        <source>an element is one number of fp32, which is read and written in one piece</source>
        <translation>一个元素是一个 fp32 数，一次读写完成</translation>
    </message>
    <message>
        <source>an even model.hidden</source>
        <translation>偶数的 model.hidden</translation>
    </message>
    <message>
        <source>an even number</source>
        <translation>偶数</translation>
    </message>
    <message>
        <source>an even number; or 0 for hidden ÷ heads</source>
        <translation>偶数；或 0，表示隐藏维度 ÷ 头数</translation>
    </message>
    <message>
        <source>an even split gives every stage the same number of layers</source>
        <translation>平均划分时每个阶段的层数相同</translation>
    </message>
    <message>
        <source>an expert has a place, and no more of them than a sample has tokens</source>
        <translation>专家至少有一个位置，且不多于一个样本的 token 数</translation>
    </message>
    <message>
        <source>an object</source>
        <translation>一个对象</translation>
    </message>
    <message>
        <source>an object, or null for a run at full speed</source>
        <translation>一个对象，或 null，表示全速运行</translation>
    </message>
    <message>
        <source>an optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>an optimizer on the host with the exchange {}</source>
        <translation>优化器放在主机上，与交换方式 {} 同用</translation>
    </message>
    <message>
        <source>an optimizer on the host with {}</source>
        <translation>优化器放在主机上，与 {} 同用</translation>
    </message>
    <message>
        <source>an update of nothing teaches nothing</source>
        <translation>为零的更新什么也学不到</translation>
    </message>
    <message>
        <source>an update that repeats itself fully never ends</source>
        <translation>完全重复自身的更新永不结束</translation>
    </message>
    <message>
        <source>another word; or model.kv_rank above 0</source>
        <translation>换一种取值；或 model.kv_rank 大于 0</translation>
    </message>
    <message>
        <source>another word; or model.kind llama with model.kv_rank above 0</source>
        <translation>换一种取值；或 model.kind 取 llama 且 model.kv_rank 大于 0</translation>
    </message>
    <message>
        <source>another word; or parallel.context_method ring; or cluster.pace.stack shardlab</source>
        <translation>换一种取值；或 parallel.context_method 取 ring；或 cluster.pace.stack 取 shardlab</translation>
    </message>
    <message>
        <source>async-server with a pipeline of {} ranks</source>
        <translation>async-server 与 {} 个 rank 的流水线同用</translation>
    </message>
    <message>
        <source>async-server with a tensor group of {} ranks</source>
        <translation>async-server 与 {} 个 rank 的张量组同用</translation>
    </message>
    <message>
        <source>async-server with {} chunks</source>
        <translation>async-server 与 {} 个模型块同用</translation>
    </message>
    <message>
        <source>asynchronous: replica 0 is the parameter server, which is busy {} of its time taking gradients, updating and sending weights; a step has {} updates, one for each worker, and the staleness of a gradient is {} updates of other workers</source>
        <translation>异步：副本 0 是参数服务器，{} 的时间忙于接收梯度、更新和发送权重；一步有 {} 次更新，每个工作者一次，一个梯度的陈旧度是其他工作者的 {} 次更新</translation>
    </message>
    <message>
        <source>asynchronous: steps follow each other without a flush, and gradients are computed with earlier weights; the predicted step is one between fill and drain</source>
        <translation>异步：各步相继进行而不排空，梯度用较早的权重计算；所预测的一步位于填充与排空之间</translation>
    </message>
    <message>
        <source>at least half of the text is for training</source>
        <translation>至少一半的文本用于训练</translation>
    </message>
    <message>
        <source>at least one, {}</source>
        <translation>至少一台，{}</translation>
    </message>
    <message>
        <source>at most {:.9g}</source>
        <translation>最多 {}</translation>
    </message>
    <message>
        <source>at most {}</source>
        <translation>最多 {}</translation>
    </message>
    <message>
        <source>at most {} = microbatches × stages</source>
        <translation>最多 {} = 微批次数 × 阶段数</translation>
    </message>
    <message>
        <source>at most {} microbatches a step</source>
        <translation>每步最多 {} 个微批次</translation>
    </message>
    <message>
        <source>at most {} with model.rope_width</source>
        <translation>连同 model.rope_width 最多 {}</translation>
    </message>
    <message>
        <source>at most {}, as a run has no more ranks</source>
        <translation>最多 {}，因为一次运行没有更多的 rank</translation>
    </message>
    <message>
        <source>at most {}; or 0 for as many as model.head_width</source>
        <translation>最多 {}；或 0，表示与 model.head_width 相同</translation>
    </message>
    <message>
        <source>averaging gradients over {} replicas</source>
        <translation>在 {} 个副本上平均梯度</translation>
    </message>
    <message>
        <source>backend; or parallel.exchange allreduce</source>
        <translation>backend；或 parallel.exchange 取 allreduce</translation>
    </message>
    <message>
        <source>below 1, angles would grow with the pair instead of falling</source>
        <translation>小于 1 时，角度会随数对增大而不是减小</translation>
    </message>
    <message>
        <source>below 1, sequences would be pressed together instead of stretched</source>
        <translation>小于 1 时，序列会被压缩而不是拉伸</translation>
    </message>
    <message>
        <source>between the stages of embedding and output every stage computes layers</source>
        <translation>在嵌入所在阶段与输出所在阶段之间，每个阶段都计算层</translation>
    </message>
    <message>
        <source>blocks are counted</source>
        <translation>块按个数计</translation>
    </message>
    <message>
        <source>blocks of moments end where shards and tensor parts end: other layouts have other scales there, and train the same but for the rounding of the codes</source>
        <translation>矩的块止于分片和张量部分的边界：其他布局在那里有不同的缩放因子，除编码的舍入外训练结果相同</translation>
    </message>
    <message>
        <source>bytes are counted with 63 bits, and this is far beyond any machine</source>
        <translation>字节用 63 位计数，而这远超任何机器</translation>
    </message>
    <message>
        <source>codes stand for what a ReLU made and a max-pool read, and no layer but a cnn&apos;s has these</source>
        <translation>编码代表 ReLU 的结果和最大池化所读的内容，只有 cnn 的层才有</translation>
    </message>
    <message>
        <source>compute; or cluster.pace.device {}</source>
        <translation>compute；或 cluster.pace.device 取 {}</translation>
    </message>
    <message>
        <source>copies over {} data ranks with ZeRO 0</source>
        <translation>ZeRO 0 却要求每 {} 个数据并行 rank 一份拷贝</translation>
    </message>
    <message>
        <source>cores</source>
        <translation>核心</translation>
    </message>
    <message>
        <source>cpu; or parallel.exchange async-server</source>
        <translation>cpu；或 parallel.exchange 取 async-server</translation>
    </message>
    <message>
        <source>data of kind jsonl is read from a file</source>
        <translation>jsonl 类型的数据从文件读取</translation>
    </message>
    <message>
        <source>data of kind text is read from a file</source>
        <translation>text 类型的数据从文件读取</translation>
    </message>
    <message>
        <source>data of kind tokens is read from .bin files</source>
        <translation>tokens 类型的数据从 .bin 文件读取</translation>
    </message>
    <message>
        <source>data {} × micro {} does not divide {}</source>
        <translation>数据 {} × 微批次 {} 无法整除 {}</translation>
    </message>
    <message>
        <source>data {} × pipeline {} instead of {} × {}</source>
        <translation>数据 {} × 流水线 {}，而不是 {} × {}</translation>
    </message>
    <message>
        <source>data {} × pipeline {} × tensor {} instead of {} × {} × {}</source>
        <translation>数据 {} × 流水线 {} × 张量 {}，而不是 {} × {} × {}</translation>
    </message>
    <message>
        <source>data × pipeline {}</source>
        <translation>数据 × 流水线 {}</translation>
    </message>
    <message>
        <source>degrees whose product is {}</source>
        <translation>乘积为 {} 的各并行度</translation>
    </message>
    <message>
        <source>delayed scales begin with 1: gradients of the first step below 2⁻¹⁷ become 0 in E5M2</source>
        <translation>延迟缩放从 1 开始：第一步中小于 2⁻¹⁷ 的梯度在 E5M2 中变为 0</translation>
    </message>
    <message>
        <source>delayed scales with the exchange {}</source>
        <translation>延迟缩放与交换方式 {} 同用</translation>
    </message>
    <message>
        <source>delayed scales with the schedule {}</source>
        <translation>延迟缩放与调度 {} 同用</translation>
    </message>
    <message>
        <source>devices would stand idle</source>
        <translation>会有设备闲置</translation>
    </message>
    <message>
        <source>each block pools its maps to half of their sides, which are even</source>
        <translation>每个块把特征图池化到边长的一半，边长必须为偶数</translation>
    </message>
    <message>
        <source>each cut over {} ranks</source>
        <translation>每个专家由 {} 个 rank 切分</translation>
    </message>
    <message>
        <source>each halves its maps&apos; sides, and an image has at most 1024 pixels a side</source>
        <translation>每个块把特征图的边长减半，而图像每边最多 1024 像素</translation>
    </message>
    <message>
        <source>each head of keys is read by the same number of heads of queries</source>
        <translation>每个键头由同样多的查询头读取</translation>
    </message>
    <message>
        <source>each host once, with the sum of its devices</source>
        <translation>每台主机一次，写明其设备总数</translation>
    </message>
    <message>
        <source>each member of a tensor group holds a part of the vocabulary</source>
        <translation>张量组的每个成员持有词表的一部分</translation>
    </message>
    <message>
        <source>each of the members takes a piece from the front and one from the back, so that in a ring all attend to equally much</source>
        <translation>每个成员从前部和后部各取一段，使环上各成员的注意力计算量相同</translation>
    </message>
    <message>
        <source>each of the {} experts of a block has a capacity of {} of the {} tokens of a sample</source>
        <translation>一个块的 {} 个专家中，每个专家对一个样本 {2} 个 token 的容量为 {1}</translation>
    </message>
    <message>
        <source>each of the {} experts of a block has as many rows as tokens choose it</source>
        <translation>一个块的 {} 个专家中，每个专家的行数等于选择它的 token 数</translation>
    </message>
    <message>
        <source>each of them must get whole microbatches of the global batch, and everything else must stay legal</source>
        <translation>每个副本必须得到全局批次中整数个微批次，其余各项也必须保持合法</translation>
    </message>
    <message>
        <source>each part of a tensor group holds other experts, so that the parts are a factor of the ranks that experts are spread over</source>
        <translation>张量组的各部分持有不同的专家，因此部分数是专家所分布的 rank 数的因子</translation>
    </message>
    <message>
        <source>each rank holds {} of {} experts of a block and sends {} of a microbatch&apos;s {} to other ranks, twice in a forward and twice in a backward: {}</source>
        <translation>每个 rank 持有一个块 {1} 个专家中的 {0} 个，并把一个微批次 {3} 中的 {2} 发送给其他 rank，前向两次、反向两次：{4}</translation>
    </message>
    <message>
        <source>each rank its part, with its like in 1 other copy</source>
        <translation>每个 rank 各自的部分，与另 1 份拷贝中的对应 rank</translation>
    </message>
    <message>
        <source>each rank its part, with its likes in {} other copies</source>
        <translation>每个 rank 各自的部分，与其他 {} 份拷贝中的对应 rank</translation>
    </message>
    <message>
        <source>each rank of a group holds the same number of experts</source>
        <translation>组内每个 rank 持有同样多的专家</translation>
    </message>
    <message>
        <source>each stage updates as soon as its own gradient is there, and waiting for the norm of all stages would be a flush</source>
        <translation>每个阶段一有自己的梯度就更新，等待所有阶段的范数就成了排空</translation>
    </message>
    <message>
        <source>each whole on one rank</source>
        <translation>每个专家完整地位于一个 rank</translation>
    </message>
    <message>
        <source>each worker steps at its own pace, and the plan has no timeline that would show which copies are hidden</source>
        <translation>每个工作者按自己的节奏前进，计划中没有能显示哪些复制被掩盖的时间线</translation>
    </message>
    <message>
        <source>each worker updates by itself: fewer of them would train differently</source>
        <translation>每个工作者独自更新：工作者减少后训练结果会不同</translation>
    </message>
    <message>
        <source>events number ranks with 16 bits</source>
        <translation>事件用 16 位对 rank 编号</translation>
    </message>
    <message>
        <source>every copy is divided over equally many data ranks</source>
        <translation>每份拷贝由同样多的数据并行 rank 切分</translation>
    </message>
    <message>
        <source>every group has the same number of experts, two or more</source>
        <translation>每个组的专家数相同，且至少两个</translation>
    </message>
    <message>
        <source>every head gets the same number of columns, hidden ÷ heads</source>
        <translation>每个头分得同样多的列：隐藏维度 ÷ 头数</translation>
    </message>
    <message>
        <source>every layer belongs to exactly one stage</source>
        <translation>每一层恰好属于一个阶段</translation>
    </message>
    <message>
        <source>every layer has a feed-forward block of its own width</source>
        <translation>每一层的前馈块有自己的宽度</translation>
    </message>
    <message>
        <source>every member of a tensor group keeps the same number of them</source>
        <translation>张量组的每个成员保存同样多的数</translation>
    </message>
    <message>
        <source>every member of a tensor group takes the same number of a microbatch&apos;s tokens</source>
        <translation>张量组的每个成员处理微批次中同样多的 token</translation>
    </message>
    <message>
        <source>every microbatch makes a weight version, and actions number them with 16 bits</source>
        <translation>每个微批次产生一个权重版本，而动作用 16 位编号</translation>
    </message>
    <message>
        <source>every rank needs a device of its own</source>
        <translation>每个 rank 需要一个自己的设备</translation>
    </message>
    <message>
        <source>every replica has weights of its own: there is nothing to divide</source>
        <translation>每个副本有自己的权重：没有什么可切分</translation>
    </message>
    <message>
        <source>every replica works through the same whole number of microbatches</source>
        <translation>每个副本处理同样的整数个微批次</translation>
    </message>
    <message>
        <source>every stage between the first and the last holds at least one layer</source>
        <translation>首尾之间的每个阶段至少有一层</translation>
    </message>
    <message>
        <source>every stage needs its number of layers</source>
        <translation>每个阶段都要给出层数</translation>
    </message>
    <message>
        <source>experts fill all of their places</source>
        <translation>专家要填满所有位置</translation>
    </message>
    <message>
        <source>experts have capacity for {} of all first choices: at least {} of them are dropped; model.capacity 0.5 would be enough if all experts were chosen equally often</source>
        <translation>专家的容量只够 {} 的首选：其中至少 {} 被丢弃；若所有专家被选中的次数相同，model.capacity 取 0.5 就够</translation>
    </message>
    <message>
        <source>experts have capacity for {} of the tokens&apos; choices: at least {} of them are dropped; model.capacity 1 would be enough if all experts were chosen equally often</source>
        <translation>专家的容量只够 token 选择的 {}：其中至少 {} 被丢弃；若所有专家被选中的次数相同，model.capacity 取 1 就够</translation>
    </message>
    <message>
        <source>experts over {} ranks in {} parts of each tensor group</source>
        <translation>专家分布于 {} 个 rank，而每个张量组有 {} 个部分</translation>
    </message>
    <message>
        <source>experts over {} ranks of tensor groups of {}</source>
        <translation>专家由 {1} 个 rank 的张量组中的 {0} 个 rank 切分</translation>
    </message>
    <message>
        <source>experts over {} ranks of tensor groups of {} with {}</source>
        <translation>使用 {2} 时，专家由 {1} 个 rank 的张量组中的 {0} 个 rank 切分</translation>
    </message>
    <message>
        <source>experts take as many tokens as the capacity says</source>
        <translation>专家按容量规定的数目取 token</translation>
    </message>
    <message>
        <source>false; or a microbatch, a sequence, a hidden width or a tensor degree whose product divides</source>
        <translation>false；或调整微批次、序列长度、隐藏维度或张量并行度，使乘积可以整除</translation>
    </message>
    <message>
        <source>false; or a model.kv_rank of 0</source>
        <translation>false；或 model.kv_rank 取 0</translation>
    </message>
    <message>
        <source>false; or a model.sequence that is a multiple of {}</source>
        <translation>false；或 model.sequence 取 {} 的倍数</translation>
    </message>
    <message>
        <source>false; or a tensor degree of 2 or more</source>
        <translation>false；或张量并行度为 2 或更大</translation>
    </message>
    <message>
        <source>false; or schedule.kind pipedream</source>
        <translation>false；或 schedule.kind 取 pipedream</translation>
    </message>
    <message>
        <source>flat; or parallel.expert 1</source>
        <translation>flat；或 parallel.expert 取 1</translation>
    </message>
    <message>
        <source>flat; or parallel.zero 3</source>
        <translation>flat；或 parallel.zero 取 3</translation>
    </message>
    <message>
        <source>fp16 ends at 65504, and a gradient of nothing teaches nothing</source>
        <translation>fp16 止于 65504，而为零的梯度什么也学不到</translation>
    </message>
    <message>
        <source>fp16 without a loss scale: gradients below 2⁻²⁴ become 0; precision.loss_scale dynamic keeps them</source>
        <translation>fp16 没有损失缩放：小于 2⁻²⁴ 的梯度变为 0；precision.loss_scale 取 dynamic 可保留它们</translation>
    </message>
    <message>
        <source>fp32; or parallel.exchange async-server</source>
        <translation>fp32；或 parallel.exchange 取 async-server</translation>
    </message>
    <message>
        <source>full speed: not measured; estimated from the clock and the memory of this machine&apos;s cores. shardlab profile measures this layout</source>
        <translation>全速运行：未经测量；由这台机器核心的时钟和内存估计。shardlab profile 可测量此布局</translation>
    </message>
    <message>
        <source>full speed: not measured; estimated from the profile of {} (microbatches of {}), whose layers take {:.2g} × what the preset says. shardlab profile measures this layout{}</source>
        <translation>全速运行：未经测量；由 {} 的性能剖析（微批次 {}）估计，其各层用时为预设的 {} ×。shardlab profile 可测量此布局{}</translation>
    </message>
    <message>
        <source>full speed: not measured; times are those of the preset&apos;s processor. shardlab profile measures this layout</source>
        <translation>全速运行：未经测量；时间是预设处理器的时间。shardlab profile 可测量此布局</translation>
    </message>
    <message>
        <source>full speed: {}</source>
        <translation>全速运行：{}</translation>
    </message>
    <message>
        <source>full speed: {}; times and memory are what the preset {} says</source>
        <translation>全速运行：{}；时间和内存取自预设 {}</translation>
    </message>
    <message>
        <source>gathering parameters from {} replicas</source>
        <translation>从 {} 个副本收集参数</translation>
    </message>
    <message>
        <source>generator, which makes images for it</source>
        <translation>generator，它为 cnn 生成图像</translation>
    </message>
    <message>
        <source>global {}</source>
        <translation>全局批次 {}</translation>
    </message>
    <message>
        <source>goes into computing activations again that were not kept, since recompute is {}</source>
        <translation>用于重新计算未保存的激活值，因为重计算方式为 {}</translation>
    </message>
    <message>
        <source>goes into starting kernels: a microbatch of {} × {} tokens is little work for each of them</source>
        <translation>用于启动内核：{} × {} 个 token 的微批次对每个内核来说工作量太少</translation>
    </message>
    <message>
        <source>goes into starting kernels: each image of a microbatch of {} has kernels of its own</source>
        <translation>用于启动内核：{} 幅图像的微批次中，每幅图像都有自己的内核</translation>
    </message>
    <message>
        <source>gpt2 is read from vocab.json and merges.txt</source>
        <translation>gpt2 从 vocab.json 和 merges.txt 读取</translation>
    </message>
    <message>
        <source>gradient norm, all-reduce</source>
        <translation>梯度范数，all-reduce</translation>
    </message>
    <message>
        <source>gradients between copies, all-reduce</source>
        <translation>各拷贝之间的梯度，all-reduce</translation>
    </message>
    <message>
        <source>gradients between {} copies</source>
        <translation>{} 份拷贝之间的梯度</translation>
    </message>
    <message>
        <source>gradients of experts, between the ranks that hold the same, all-reduce</source>
        <translation>专家的梯度，在持有相同专家的 rank 之间，all-reduce</translation>
    </message>
    <message>
        <source>gradients of experts, between the ranks that hold the same, reduce-scatter</source>
        <translation>专家的梯度，在持有相同专家的 rank 之间，reduce-scatter</translation>
    </message>
    <message>
        <source>gradients over data × context, all-reduce</source>
        <translation>数据 × 上下文上的梯度，all-reduce</translation>
    </message>
    <message>
        <source>gradients over data × context, reduce-scatter</source>
        <translation>数据 × 上下文上的梯度，reduce-scatter</translation>
    </message>
    <message>
        <source>gradients to the host and weights from it</source>
        <translation>送往主机的梯度和来自它的权重</translation>
    </message>
    <message>
        <source>gradients to the server and weights from it</source>
        <translation>送往服务器的梯度和来自它的权重</translation>
    </message>
    <message>
        <source>gradients within a copy, reduce-scatter</source>
        <translation>一份拷贝内的梯度，reduce-scatter</translation>
    </message>
    <message>
        <source>gradients, all-reduce</source>
        <translation>梯度，all-reduce</translation>
    </message>
    <message>
        <source>gradients, reduce-scatter</source>
        <translation>梯度，reduce-scatter</translation>
    </message>
    <message>
        <source>gradients, to the server</source>
        <translation>梯度，送往服务器</translation>
    </message>
    <message>
        <source>heads of 1 number cannot be turned in pairs</source>
        <translation>1 个数的头无法成对旋转</translation>
    </message>
    <message>
        <source>heads of {} numbers cannot be turned in pairs</source>
        <translation>{} 个数的头无法成对旋转</translation>
    </message>
    <message>
        <source>hierarchical</source>
        <translation>分层</translation>
    </message>
    <message>
        <source>hogwild in {}</source>
        <translation>{} 下的 hogwild</translation>
    </message>
    <message>
        <source>hogwild on more than one host</source>
        <translation>hogwild 用于一台以上的主机</translation>
    </message>
    <message>
        <source>hogwild on {}</source>
        <translation>hogwild 用于 {}</translation>
    </message>
    <message>
        <source>hogwild with a pipeline of {} ranks</source>
        <translation>hogwild 与 {} 个 rank 的流水线同用</translation>
    </message>
    <message>
        <source>hogwild with a tensor group of {} ranks</source>
        <translation>hogwild 与 {} 个 rank 的张量组同用</translation>
    </message>
    <message>
        <source>hogwild with a weight decay of {:.9g}</source>
        <translation>hogwild 的权重衰减为 {}</translation>
    </message>
    <message>
        <source>hogwild with {} chunks</source>
        <translation>hogwild 与 {} 个模型块同用</translation>
    </message>
    <message>
        <source>how many rows there are would depend on what is drawn</source>
        <translation>行数会取决于随机抽取的结果</translation>
    </message>
    <message>
        <source>images are not divided among {} members</source>
        <translation>图像不能由 {} 个成员分担</translation>
    </message>
    <message>
        <source>in all steps but one of {}, in which replica 0 has its turn</source>
        <translation>每 {} 步中除轮到副本 0 的一步之外</translation>
    </message>
    <message>
        <source>inputs of segments that are computed again, all-gather</source>
        <translation>重新计算的片段的输入，all-gather</translation>
    </message>
    <message>
        <source>is communication that no computation hides; the largest part, {}, is {}</source>
        <translation>是没有被计算掩盖的通信；其中最大的部分 {} 是{}</translation>
    </message>
    <message>
        <source>is lost because {} ranks share {} {}: ranks that compute at the same time wait for each other</source>
        <translation>因 {} 个 rank 共用 {} 个{}而损失：同时计算的 rank 互相等待</translation>
    </message>
    <message>
        <source>is waiting for slower stages: stage {} takes {:.2f} × the mean of all {}</source>
        <translation>是在等待较慢的阶段：阶段 {0} 的用时是全部 {2} 个阶段平均值的 {1} ×</translation>
    </message>
    <message>
        <source>it can be halved, and the maps of a block stay countable</source>
        <translation>它可以减半，且一个块的特征图仍可计数</translation>
    </message>
    <message>
        <source>it counts rows and columns of whole matrices, and flat shards cut them anywhere</source>
        <translation>它统计整个矩阵的行和列，而平铺分片会在任意处切开矩阵</translation>
    </message>
    <message>
        <source>it fills the V with two microbatches a rank before its steady part, {} altogether, and there are {}</source>
        <translation>它在稳定阶段之前用每个 rank 两个微批次填满 V，共需 {} 个，现有 {} 个</translation>
    </message>
    <message>
        <source>it goes on from its newest checkpoint, with another number of replicas</source>
        <translation>它以另一个副本数从最新的检查点继续</translation>
    </message>
    <message>
        <source>it has no all-reduce</source>
        <translation>它没有 all-reduce</translation>
    </message>
    <message>
        <source>it is a share, and something must be left</source>
        <translation>它是一个比例，必须留下一些</translation>
    </message>
    <message>
        <source>it is handed to mpirun</source>
        <translation>它会交给 mpirun</translation>
    </message>
    <message>
        <source>it is no device that comes with Shardlab, and none of the user&apos;s own (shardlab devices)</source>
        <translation>它不是 Shardlab 自带的设备，也不是用户自己的设备（shardlab devices）</translation>
    </message>
    <message>
        <source>it keeps the quotient finite</source>
        <translation>它使商保持有限</translation>
    </message>
    <message>
        <source>it moves a replica&apos;s whole weights or gradients, and replicas hold different experts</source>
        <translation>它搬运一个副本的全部权重或梯度，而各副本持有不同的专家</translation>
    </message>
    <message>
        <source>it moves between steps, and without a flush microbatches of several steps are under way</source>
        <translation>它在两步之间调整，而不排空时有多个步的微批次在途</translation>
    </message>
    <message>
        <source>it needs several stages on each rank</source>
        <translation>它要求每个 rank 有多个阶段</translation>
    </message>
    <message>
        <source>it splits norms and dropout between the ranks that share a layer, and parallel.tensor is 1</source>
        <translation>它在共同切分一层的 rank 之间切分归一化和 dropout，而 parallel.tensor 为 1</translation>
    </message>
    <message>
        <source>it takes no checkpoints, and with fewer workers the order of updates would be another</source>
        <translation>它不写检查点，而且工作者减少后更新的顺序会不同</translation>
    </message>
    <message>
        <source>it would have nothing to compute: the model has neither embedding nor a stage beside it</source>
        <translation>它没有什么可计算：模型既没有嵌入，旁边也没有其他阶段</translation>
    </message>
    <message>
        <source>it would write every element in every update, and only those whose gradient is not zero are written</source>
        <translation>它会在每次更新中写每个元素，而实际只写梯度不为零的元素</translation>
    </message>
    <message>
        <source>its blocks are convolutions and a max-pool</source>
        <translation>它的块由卷积和最大池化组成</translation>
    </message>
    <message>
        <source>its members hold the same weights, and their gradients are summed by an all-reduce</source>
        <translation>其成员持有相同的权重，梯度由 all-reduce 求和</translation>
    </message>
    <message>
        <source>its norms are those of the latents that queries, keys and values are made from</source>
        <translation>它的归一化作用于生成查询、键和值的潜向量</translation>
    </message>
    <message>
        <source>its order fixes how many microbatches a rank holds</source>
        <translation>一个 rank 持有多少微批次由其顺序决定</translation>
    </message>
    <message>
        <source>its stages update in the middle of a step, and keep several versions of the weights on the device</source>
        <translation>它的各阶段在一步中途更新，并在设备上保留多个权重版本</translation>
    </message>
    <message>
        <source>its stages update in the middle of a step, and replicas would have to meet there</source>
        <translation>它的各阶段在一步中途更新，各副本必须在那里会合</translation>
    </message>
    <message>
        <source>its steps go by the choices of all replicas, which update apart from each other</source>
        <translation>它按所有副本的选择调整，而这些副本各自更新，互不同步</translation>
    </message>
    <message>
        <source>its steps use one version of the weights in all stages anyway</source>
        <translation>它的每一步在所有阶段本来就使用同一个权重版本</translation>
    </message>
    <message>
        <source>its update is plain gradient descent, w − γg: workers share weights, and no optimizer&apos;s state</source>
        <translation>它的更新是普通梯度下降 w − γg：工作者共享权重，不共享优化器状态</translation>
    </message>
    <message>
        <source>its workers write the processor&apos;s memory, element by element</source>
        <translation>它的工作者逐元素地写处理器内存</translation>
    </message>
    <message>
        <source>its workers write the same memory, which only the ranks of one host share</source>
        <translation>它的工作者写同一块内存，只有同一台主机的 rank 才共享内存</translation>
    </message>
    <message>
        <source>kept, lossless, lossy-10 or lossy-8; or precision.compute fp32</source>
        <translation>kept、lossless、lossy-10 或 lossy-8；或 precision.compute 取 fp32</translation>
    </message>
    <message>
        <source>kept; or memory.recompute none</source>
        <translation>kept；或 memory.recompute 取 none</translation>
    </message>
    <message>
        <source>kept; or model.kind cnn</source>
        <translation>kept；或 model.kind 取 cnn</translation>
    </message>
    <message>
        <source>keys and values and their gradients, ring</source>
        <translation>键和值及其梯度，环</translation>
    </message>
    <message>
        <source>latent attention has no norms of queries and keys</source>
        <translation>潜在注意力没有查询和键的归一化</translation>
    </message>
    <message>
        <source>latent recomputation computes nothing but queries, keys and values of latents again</source>
        <translation>latent 重计算只由潜向量重新计算查询、键和值</translation>
    </message>
    <message>
        <source>layers are counted</source>
        <translation>层按个数计</translation>
    </message>
    <message>
        <source>learning rate {:.9g} × ρ {:.9g} is more than 1</source>
        <translation>学习率 {} × ρ {} 大于 1</translation>
    </message>
    <message>
        <source>letters, digits, dots and hyphens, beginning with a letter or digit</source>
        <translation>字母、数字、点和连字符，以字母或数字开头</translation>
    </message>
    <message>
        <source>logits</source>
        <translation>logit</translation>
    </message>
    <message>
        <source>matrix products number their rows, micro × sequence, with 32 bits</source>
        <translation>矩阵乘法的行（微批次 × 序列长度）用 32 位编号</translation>
    </message>
    <message>
        <source>micro {} instead of {} (1 microbatch)</source>
        <translation>微批次 {}，而不是 {}（1 个微批次）</translation>
    </message>
    <message>
        <source>micro {} instead of {} ({} microbatches)</source>
        <translation>微批次 {}，而不是 {}（{} 个微批次）</translation>
    </message>
    <message>
        <source>microbatches are counted, and actions number them with 24 bits</source>
        <translation>微批次按个数计，而动作用 24 位对其编号</translation>
    </message>
    <message>
        <source>model.kind {}; or no weights</source>
        <translation>model.kind 取 {}；或不用权重</translation>
    </message>
    <message>
        <source>no weights</source>
        <translation>不用权重</translation>
    </message>
    <message>
        <source>moments in 8 bits: each parameter has two codes, and each {} parameters share two scales in fp32, where adamw keeps 8 bytes a parameter; an update differs from adamw&apos;s by the rounding of the codes</source>
        <translation>8 位的矩：每个参数有两个编码，每 {} 个参数共用两个 fp32 缩放因子，而 adamw 每个参数保留 8 字节；更新与 adamw 的差别在于编码的舍入</translation>
    </message>
    <message>
        <source>more than 0; or a gate with which every token chooses equally many experts</source>
        <translation>大于 0；或使用每个 token 选择同样多专家的门控</translation>
    </message>
    <message>
        <source>more than 1; or model.rope_scaling none</source>
        <translation>大于 1；或 model.rope_scaling 取 none</translation>
    </message>
    <message>
        <source>more than {}; or a smaller model.rope_low</source>
        <translation>大于 {}；或减小 model.rope_low</translation>
    </message>
    <message>
        <source>near 0 every gate is half open, and far above 1 it is a step</source>
        <translation>接近 0 时每个门都半开，远大于 1 时它是阶跃</translation>
    </message>
    <message>
        <source>no GPU of this machine is known</source>
        <translation>这台机器上没有已知的 GPU</translation>
    </message>
    <message>
        <source>no actions are listed</source>
        <translation>没有列出动作</translation>
    </message>
    <message>
        <source>no actions; or the schedule custom, which does what is listed</source>
        <translation>不写动作；或使用按所列动作执行的调度 custom</translation>
    </message>
    <message>
        <source>no block has experts then</source>
        <translation>这样就没有任何块有专家</translation>
    </message>
    <message>
        <source>no experts to cut over {} ranks</source>
        <translation>没有可由 {} 个 rank 切分的专家</translation>
    </message>
    <message>
        <source>no experts to spread over {} ranks</source>
        <translation>没有可分布于 {} 个 rank 的专家</translation>
    </message>
    <message>
        <source>no field is named</source>
        <translation>没有指定字段</translation>
    </message>
    <message>
        <source>no file of JSON Lines is named</source>
        <translation>没有指定 JSON Lines 文件</translation>
    </message>
    <message>
        <source>no file of tokens is named</source>
        <translation>没有指定 token 文件</translation>
    </message>
    <message>
        <source>no files of the tokenizer are named</source>
        <translation>没有指定分词器的文件</translation>
    </message>
    <message>
        <source>no limit with the gate {}</source>
        <translation>门控 {} 没有容量限制</translation>
    </message>
    <message>
        <source>no number of replicas from {} to {} can continue the run</source>
        <translation>从 {} 到 {} 的副本数都无法继续该运行</translation>
    </message>
    <message>
        <source>no pair turns more often than once a token</source>
        <translation>没有数对的旋转多于每个 token 一次</translation>
    </message>
    <message>
        <source>no text file is named</source>
        <translation>没有指定文本文件</translation>
    </message>
    <message>
        <source>no weights have the blocks of this {}</source>
        <translation>没有权重具有这个 {} 的块</translation>
    </message>
    <message>
        <source>no weights to start from fit a model of kind {}</source>
        <translation>没有适合 {} 类模型的起始权重</translation>
    </message>
    <message>
        <source>no weights; or the defaults of the fields that choose parts of blocks</source>
        <translation>不用权重；或把选择块组成部分的字段设为默认值</translation>
    </message>
    <message>
        <source>no weights; or experts and blocks as one of these has them</source>
        <translation>不用权重；或使专家和块与其中一种模型相同</translation>
    </message>
    <message>
        <source>none, full, sqrt or every</source>
        <translation>none、full、sqrt 或 every</translation>
    </message>
    <message>
        <source>none, with bf16 or fp32; or a schedule with a flush, 1f1b</source>
        <translation>none，并使用 bf16 或 fp32；或使用会排空的调度，如 1f1b</translation>
    </message>
    <message>
        <source>none; or a &quot;host&quot; in the file, as resources/devices/a100-sxm.json has one</source>
        <translation>none；或在文件中写入 &quot;host&quot;，如 resources/devices/a100-sxm.json</translation>
    </message>
    <message>
        <source>none; or a schedule with a flush, 1f1b</source>
        <translation>none；或使用会排空的调度，如 1f1b</translation>
    </message>
    <message>
        <source>none; or parallel.exchange allreduce</source>
        <translation>none；或 parallel.exchange 取 allreduce</translation>
    </message>
    <message>
        <source>nothing is learned without a step, and larger ones diverge</source>
        <translation>没有步长什么也学不到，而更大的步长会发散</translation>
    </message>
    <message>
        <source>on {}, not measured</source>
        <translation>在 {} 上，未经测量</translation>
    </message>
    <message>
        <source>one core of a desktop computer</source>
        <translation>台式计算机的一个核心</translation>
    </message>
    <message>
        <source>one field of each line is the text</source>
        <translation>每行的一个字段是文本</translation>
    </message>
    <message>
        <source>one host with {} devices; or parallel.exchange async-server</source>
        <translation>一台有 {} 个设备的主机；或 parallel.exchange 取 async-server</translation>
    </message>
    <message>
        <source>one keeps maps in fewer bits, and the other does not keep them</source>
        <translation>前者用更少的位保存特征图，后者则不保存</translation>
    </message>
    <message>
        <source>only ZeRO 3 divides the parameters</source>
        <translation>只有 ZeRO 3 切分参数</translation>
    </message>
    <message>
        <source>only one order can count, and it is unclear which was meant</source>
        <translation>只能有一种顺序有效，而不清楚要用哪一种</translation>
    </message>
    <message>
        <source>only the server has optimizer state: there is nothing to divide</source>
        <translation>只有服务器有优化器状态：没有什么可切分</translation>
    </message>
    <message>
        <source>optimizer on the host: its state lies in the host&apos;s memory and is updated there by the processor; in a step {} bytes a parameter go there as gradients and {} come back as weights, over the device&apos;s own link; the traffic between ranks stays the same</source>
        <translation>优化器放在主机上：其状态位于主机内存，由处理器在那里更新；一步中每个参数有 {} 字节作为梯度送去、{} 字节作为权重送回，经过设备自己的链路；rank 之间的流量不变</translation>
    </message>
    <message>
        <source>optimizer&apos;s rows and columns, all-reduce</source>
        <translation>优化器的行和列，all-reduce</translation>
    </message>
    <message>
        <source>out of range</source>
        <translation>超出范围</translation>
    </message>
    <message>
        <source>over the server&apos;s link, {} on the slowest stage</source>
        <translation>经服务器的链路，最慢的阶段为 {}</translation>
    </message>
    <message>
        <source>pairs that turn {} times are both slowed down and left as they are</source>
        <translation>旋转 {} 次的数对既要放慢又要保持原样</translation>
    </message>
    <message>
        <source>parameters of experts, between the ranks that hold the same, all-gather</source>
        <translation>专家的参数，在持有相同专家的 rank 之间，all-gather</translation>
    </message>
    <message>
        <source>parameters over data × context, all-gather</source>
        <translation>数据 × 上下文上的参数，all-gather</translation>
    </message>
    <message>
        <source>parameters within a copy, all-gather</source>
        <translation>一份拷贝内的参数，all-gather</translation>
    </message>
    <message>
        <source>parameters, all-gather</source>
        <translation>参数，all-gather</translation>
    </message>
    <message>
        <source>partitioned activations: each of {} tensor ranks keeps {} of a segment&apos;s input, which is {} a microbatch, and gathers the rest before the segment is computed again</source>
        <translation>激活值切分：{0} 个张量并行 rank 各保存一个片段输入的 {1}（每个微批次共 {2}），并在重新计算该片段之前收集其余部分</translation>
    </message>
    <message>
        <source>people would notice first if a run stood still for more than a day</source>
        <translation>若运行停顿超过一天，人会先注意到</translation>
    </message>
    <message>
        <source>pipeline × chunks at most {}</source>
        <translation>流水线 × 模型块数最多 {}</translation>
    </message>
    <message>
        <source>pipeline × chunks {}</source>
        <translation>流水线 × 模型块数取 {}</translation>
    </message>
    <message>
        <source>products in {} on {}</source>
        <translation>在 {1} 上使用 {0} 乘法</translation>
    </message>
    <message>
        <source>products of linear layers in {}: {}; embedding, output projection, norms, the core of attentions and routers stay in {}; a stage holds {} for codes, scales and counts</source>
        <translation>线性层的乘法用 {}：{}；嵌入、输出投影、归一化、注意力核心和路由器仍用 {}；一个阶段为编码、缩放因子和计数保留 {}</translation>
    </message>
    <message>
        <source>queries, keys, values and outputs and their gradients, all-to-all</source>
        <translation>查询、键、值和输出及其梯度，all-to-all</translation>
    </message>
    <message>
        <source>what decides which tokens find a place with experts, all-gather</source>
        <translation>决定哪些 token 在专家处得到位置的信息，all-gather</translation>
    </message>
    <message>
        <source>rank 0 to {}</source>
        <translation>rank 0 到 {}</translation>
    </message>
    <message>
        <source>ranks need a machine to run on</source>
        <translation>rank 需要机器来运行</translation>
    </message>
    <message>
        <source>ranks that share experts are neighbours along the data axis and in context groups, and each of their groups holds all experts once</source>
        <translation>分担专家的 rank 在数据轴上和上下文组内相邻，它们的每个组恰好持有全部专家一次</translation>
    </message>
    <message>
        <source>reading the weights out of shared memory</source>
        <translation>从共享内存读取权重</translation>
    </message>
    <message>
        <source>recompute latent with the context method ulysses and a modelled software stack</source>
        <translation>重计算方式 latent 与上下文方法 ulysses 及所模拟的软件栈同用</translation>
    </message>
    <message>
        <source>recompute {} instead of {}</source>
        <translation>重计算方式 {}，而不是 {}</translation>
    </message>
    <message>
        <source>recompute {} with ZeRO 3: the weights of a segment are gathered once and kept from its second forward to its backward: the traffic does not grow, and a rank holds up to {} of gathered weights instead of {}</source>
        <translation>重计算方式 {} 与 ZeRO 3 同用：一个片段的权重只收集一次，并从第二次前向保留到反向：流量不增加，而一个 rank 最多持有 {} 收集来的权重，而不是 {}</translation>
    </message>
    <message>
        <source>recompute {}: up to {} of the time of a backward goes into computing activations again</source>
        <translation>重计算方式 {}：一次反向最多有 {} 的时间用于重新计算激活值</translation>
    </message>
    <message>
        <source>repeated measurements of {} differ by {:.0f} %</source>
        <translation>{} 的重复测量相差 {} %</translation>
    </message>
    <message>
        <source>replica 0 is the parameter server and a worker too: {} gradients reach it and {} copies of the weights leave it one after another, and the other replicas wait while it updates</source>
        <translation>副本 0 既是参数服务器又是工作者：{} 份梯度依次到达，{} 份权重依次发出，它更新时其他副本等待</translation>
    </message>
    <message>
        <source>replica 0 keeps the centre, a second copy of the weights, with which one replica exchanges in each step: each replica has its turn every {} steps, and validation uses the centre</source>
        <translation>副本 0 保存中心，即权重的第二份，每一步有一个副本与它交换：每个副本每 {} 步轮到一次，验证使用中心</translation>
    </message>
    <message>
        <source>replicas are counted, and events number ranks with 16 bits</source>
        <translation>副本按个数计，而事件用 16 位对 rank 编号</translation>
    </message>
    <message>
        <source>replicas would have to agree on an overflow that only one of them sees</source>
        <translation>各副本必须就只有其中一个看到的溢出达成一致</translation>
    </message>
    <message>
        <source>restarts continue from the last checkpoint, and with checkpoint.every 0 none is written automatically</source>
        <translation>重启从最后一个检查点继续，而 checkpoint.every 为 0 时不会自动写检查点</translation>
    </message>
    <message>
        <source>ring</source>
        <translation>环</translation>
    </message>
    <message>
        <source>scattering gradients over {} replicas</source>
        <translation>在 {} 个副本上分散梯度</translation>
    </message>
    <message>
        <source>schedule {} instead of {}</source>
        <translation>调度 {}，而不是 {}</translation>
    </message>
    <message>
        <source>scores</source>
        <translation>得分</translation>
    </message>
    <message>
        <source>selective recomputation computes nothing but attention again</source>
        <translation>选择性重计算只重新计算注意力</translation>
    </message>
    <message>
        <source>shardlab; or a device with both, h100-sxm</source>
        <translation>shardlab；或两者都有的设备，如 h100-sxm</translation>
    </message>
    <message>
        <source>shardlab; or a model with attention</source>
        <translation>shardlab；或使用有注意力的模型</translation>
    </message>
    <message>
        <source>shardlab; or precision.compute bf16</source>
        <translation>shardlab；或 precision.compute 取 bf16</translation>
    </message>
    <message>
        <source>slowed {} × to watch</source>
        <translation>为便于观看放慢 {} ×</translation>
    </message>
    <message>
        <source>smaller layers, hidden, sequence, vocabulary or batch</source>
        <translation>减小层数、隐藏维度、序列长度、词表或批次</translation>
    </message>
    <message>
        <source>so many where all experts are chosen equally often</source>
        <translation>这是所有专家被选中次数相同时的量</translation>
    </message>
    <message>
        <source>some pairs turn less than once, and none more often than once a token</source>
        <translation>有些数对旋转不到一次，没有数对的旋转多于每个 token 一次</translation>
    </message>
    <message>
        <source>sped up {} × to watch</source>
        <translation>为便于观看加快 {} ×</translation>
    </message>
    <message>
        <source>stage {} holds no layer</source>
        <translation>阶段 {} 没有层</translation>
    </message>
    <message>
        <source>stage {} takes {:.2f} × the time of stage {}: unequal stages add to the bubble</source>
        <translation>阶段 {0} 的用时是阶段 {2} 的 {1} ×：阶段不均会增大气泡</translation>
    </message>
    <message>
        <source>stages {} instead of {}</source>
        <translation>各阶段 {}，而不是 {}</translation>
    </message>
    <message>
        <source>steps are counted</source>
        <translation>步按个数计</translation>
    </message>
    <message>
        <source>sums over all their pixels number them with 32 bits</source>
        <translation>对所有像素求和时用 32 位编号</translation>
    </message>
    <message>
        <source>tensor groups span several hosts: the collectives of every layer cross the network</source>
        <translation>张量组跨越多台主机：每一层的集合通信都经过网络</translation>
    </message>
    <message>
        <source>the actions of one step are held in memory</source>
        <translation>一步的动作保存在内存中</translation>
    </message>
    <message>
        <source>the assignment gives a token at most {}, to 0.1 %, and is found in up to 500 rounds for each sample; experts take whole tokens from it, so that a token can have more experts, or none</source>
        <translation>分配方案给每个 token 最多 {}，精确到 0.1 %，每个样本最多迭代 500 轮求得；专家从中取整个 token，因此一个 token 可能有更多专家，也可能没有</translation>
    </message>
    <message>
        <source>the attention of CUDA devices is made for heads of fewer columns</source>
        <translation>CUDA 设备的注意力只支持列数更少的头</translation>
    </message>
    <message>
        <source>the attention of CUDA devices is made for heads of up to {}</source>
        <translation>CUDA 设备的注意力只支持宽度至多 {} 的头</translation>
    </message>
    <message>
        <source>the attention&apos;s kernels take a value that is as wide as a query, or narrower and filled up with zeros</source>
        <translation>注意力的内核要求值与查询同宽，或更窄并以零补齐</translation>
    </message>
    <message>
        <source>the cnn has no feed-forward blocks that could be computed again</source>
        <translation>cnn 没有可重新计算的前馈块</translation>
    </message>
    <message>
        <source>the cnn has no norms in its blocks, and its ReLUs keep what they make</source>
        <translation>cnn 的块中没有归一化，其 ReLU 保留自己的结果</translation>
    </message>
    <message>
        <source>the collectives of every layer over {} tensor ranks</source>
        <translation>每一层在 {} 个张量并行 rank 上的集合通信</translation>
    </message>
    <message>
        <source>the device has no such products, or its file does not say how fast they are</source>
        <translation>该设备没有这种乘法，或其文件没有说明有多快</translation>
    </message>
    <message>
        <source>the device&apos;s file does not say how fast its host is</source>
        <translation>该设备的文件没有说明其主机有多快</translation>
    </message>
    <message>
        <source>the stack&apos;s attention is the kernel {}, which {} does not have</source>
        <translation>该软件栈的注意力使用内核 {}，而 {} 没有这个内核</translation>
    </message>
    <message>
        <source>shardlab, {}; or a device that has it</source>
        <translation>shardlab、{}；或使用有这个内核的设备</translation>
    </message>
    <message>
        <source>the device&apos;s file names no architecture whose kernels are known, or no number of multiprocessors</source>
        <translation>该设备的文件没有给出内核已知的架构，或没有给出多处理器数</translation>
    </message>
    <message>
        <source>the end of a run can always be looked at</source>
        <translation>运行的结尾总是可以查看</translation>
    </message>
    <message>
        <source>the exchange with the centre</source>
        <translation>与中心的交换</translation>
    </message>
    <message>
        <source>the exchange {} with experts over {} ranks</source>
        <translation>交换方式 {}，而专家分布于 {} 个 rank</translation>
    </message>
    <message>
        <source>the fewest replicas, {}, are more than all {}</source>
        <translation>最少副本数 {} 大于全部副本数 {}</translation>
    </message>
    <message>
        <source>the folder they lie in, or data.tokenizer bytes</source>
        <translation>它们所在的文件夹，或 data.tokenizer 取 bytes</translation>
    </message>
    <message>
        <source>the format is there for planning alone: Shardlab&apos;s own engine multiplies in 8 bits or more</source>
        <translation>该格式只用于规划：Shardlab 自己的引擎以 8 位或更多位相乘</translation>
    </message>
    <message>
        <source>the gradient norm</source>
        <translation>梯度范数</translation>
    </message>
    <message>
        <source>the history has an entry for each step, and the ranks have no steps in common</source>
        <translation>历史中每一步有一项，而各 rank 没有共同的步</translation>
    </message>
    <message>
        <source>the keys and values of every layer on their way round {} context ranks</source>
        <translation>每一层的键和值沿 {} 个上下文并行 rank 的环传递</translation>
    </message>
    <message>
        <source>the layout has {} of them</source>
        <translation>该布局有 {} 个 rank</translation>
    </message>
    <message>
        <source>the list has {} of them</source>
        <translation>列表有 {} 个元素</translation>
    </message>
    <message>
        <source>the lowest {} blocks are dense, and the highest with experts is the {}.</source>
        <translation>最低的 {} 个块是稠密的，而最高的有专家的块是第 {} 个</translation>
    </message>
    <message>
        <source>the maps of a cnn are not divided among {} members</source>
        <translation>cnn 的特征图不能由 {} 个成员分担</translation>
    </message>
    <message>
        <source>the members of a context group divide the tokens of a sample, and an image counts as one token</source>
        <translation>上下文组的成员分担一个样本的 token，而一幅图像只算一个 token</translation>
    </message>
    <message>
        <source>the members of a tensor group divide the heads and columns of a transformer; a cnn has neither</source>
        <translation>张量组的成员分担 transformer 的头和列，cnn 两者都没有</translation>
    </message>
    <message>
        <source>the metrics of {} steps of {} ranks are always kept</source>
        <translation>{} 步、{} 个 rank 的指标总是保留</translation>
    </message>
    <message>
        <source>the model and its batch are too large to count</source>
        <translation>模型及其批次大到无法计数</translation>
    </message>
    <message>
        <source>the model {} has none</source>
        <translation>模型 {} 没有专家</translation>
    </message>
    <message>
        <source>the newest one always stays</source>
        <translation>最新的一个总是保留</translation>
    </message>
    <message>
        <source>the norm of the whole gradient shows whether a step overflowed, and each stage updates before that is known</source>
        <translation>由整个梯度的范数才知道一步是否溢出，而每个阶段在此之前就更新</translation>
    </message>
    <message>
        <source>the only replica would be the server, and there would be no worker</source>
        <translation>唯一的副本会成为服务器，这样就没有工作者</translation>
    </message>
    <message>
        <source>the output projection has weights of its own: the first and the last stage could share the token embedding only by waiting for each other</source>
        <translation>输出投影有自己的权重：第一个和最后一个阶段只有互相等待才能共享词嵌入</translation>
    </message>
    <message>
        <source>the partition {} with ZeRO {}</source>
        <translation>划分方式 {} 与 ZeRO {} 同用</translation>
    </message>
    <message>
        <source>the path of a UTF-8 file, or data.kind generator</source>
        <translation>UTF-8 文件的路径，或 data.kind 取 generator</translation>
    </message>
    <message>
        <source>the path of a file with a JSON object a line, or data.kind generator</source>
        <translation>每行一个 JSON 对象的文件的路径，或 data.kind 取 generator</translation>
    </message>
    <message>
        <source>the replica that updates has weights in a memory that other ranks read or write</source>
        <translation>负责更新的副本的权重所在内存会被其他 rank 读写</translation>
    </message>
    <message>
        <source>the rotary embedding turns the numbers of a head in pairs</source>
        <translation>旋转位置编码把一个头的数成对旋转</translation>
    </message>
    <message>
        <source>the run has {} of them</source>
        <translation>该运行有 {} 步</translation>
    </message>
    <message>
        <source>the run is elastic, but run.max_restarts is 0: a lost rank ends the run, and the number of replicas changes only on request</source>
        <translation>该运行是弹性的，但 run.max_restarts 为 0：失去一个 rank 就会结束运行，副本数只在要求时才改变</translation>
    </message>
    <message>
        <source>the schedule cannot run: {}</source>
        <translation>该调度无法运行：{}</translation>
    </message>
    <message>
        <source>the schedule fixes how many stages a rank can hold</source>
        <translation>一个 rank 能有多少阶段由调度决定</translation>
    </message>
    <message>
        <source>the schedule written by hand does not fit</source>
        <translation>手写的调度不适合</translation>
    </message>
    <message>
        <source>the schedule {} falls</source>
        <translation>学习率曲线 {} 是下降的</translation>
    </message>
    <message>
        <source>the stack&apos;s times are known of 16-bit formats</source>
        <translation>该软件栈的时间只对 16 位格式已知</translation>
    </message>
    <message>
        <source>the stack&apos;s times are known of transformers</source>
        <translation>该软件栈的时间只对 transformer 已知</translation>
    </message>
    <message>
        <source>the stages hold {} layers, but the model has {}</source>
        <translation>各阶段共有 {} 层，但模型有 {} 层</translation>
    </message>
    <message>
        <source>the tied embedding&apos;s gradient between first and last stage</source>
        <translation>首尾阶段之间共享嵌入的梯度</translation>
    </message>
    <message>
        <source>the timeline shows the first and the last replica of {}, for all do the same</source>
        <translation>时间线显示 {} 个副本中的第一个和最后一个，因为所有副本做的事相同</translation>
    </message>
    <message>
        <source>the turns at which pairs are left as they are lie above those at which they are slowed down</source>
        <translation>保持原样的旋转次数要高于放慢的旋转次数</translation>
    </message>
    <message>
        <source>the weights of GPT-2 and Llama belong to other layers</source>
        <translation>GPT-2 和 Llama 的权重属于其他类型的层</translation>
    </message>
    <message>
        <source>the whole capacity is sent, used or not</source>
        <translation>无论是否用到，都发送全部容量</translation>
    </message>
    <message>
        <source>the words are fixed</source>
        <translation>取值是固定的</translation>
    </message>
    <message>
        <source>the {} has no attention whose probabilities could be computed again</source>
        <translation>{} 没有可重新计算其概率的注意力</translation>
    </message>
    <message>
        <source>the {} has no latent attention whose heads could be made again</source>
        <translation>{} 没有可重新生成其头的潜在注意力</translation>
    </message>
    <message>
        <source>there are more faults than these {}</source>
        <translation>错误不止这 {} 个</translation>
    </message>
    <message>
        <source>there are more than {} ranks</source>
        <translation>rank 数超过 {}</translation>
    </message>
    <message>
        <source>there are no hosts</source>
        <translation>没有主机</translation>
    </message>
    <message>
        <source>there is at least one sample, and actions number microbatches with 24 bits</source>
        <translation>至少有一个样本，而动作用 24 位对微批次编号</translation>
    </message>
    <message>
        <source>there is at least one token, and every position of a gpt has a learned vector</source>
        <translation>至少有一个 token，而 gpt 的每个位置都有一个可学习的向量</translation>
    </message>
    <message>
        <source>there is at least one, and actions number stages with 16 bits</source>
        <translation>至少有一个，而动作用 16 位对阶段编号</translation>
    </message>
    <message>
        <source>there is at least one, and events number ranks with 16 bits</source>
        <translation>至少有一个，而事件用 16 位对 rank 编号</translation>
    </message>
    <message>
        <source>there is at least one, and products of the sizes must stay countable</source>
        <translation>至少有一个，且各尺寸之积必须可以计数</translation>
    </message>
    <message>
        <source>there is no rank {}</source>
        <translation>没有 rank {}</translation>
    </message>
    <message>
        <source>there is no tensor group whose members could split the tokens</source>
        <translation>没有可由其成员切分 token 的张量组</translation>
    </message>
    <message>
        <source>they are numbered with 32 bits, and so are the choices of all tokens</source>
        <translation>它们用 32 位编号，所有 token 的选择也是</translation>
    </message>
    <message>
        <source>they have 16 bits anyway</source>
        <translation>它们本来就是 16 位</translation>
    </message>
    <message>
        <source>this is the share of their distance by which weights and centre approach each other, and beyond 1 they would diverge</source>
        <translation>这是权重与中心相互靠近的距离比例，大于 1 时它们会发散</translation>
    </message>
    <message>
        <source>this version knows the method but cannot run it</source>
        <translation>此版本知道该方法，但不能运行它</translation>
    </message>
    <message>
        <source>tied embedding&apos;s gradient, all-reduce</source>
        <translation>共享嵌入的梯度，all-reduce</translation>
    </message>
    <message>
        <source>times and memory are those of {}; a run here computes with Shardlab&apos;s own engine{}</source>
        <translation>时间和内存是 {} 的；在这里运行时使用 Shardlab 自己的引擎{}</translation>
    </message>
    <message>
        <source>times are those of {}</source>
        <translation>时间是 {} 的时间</translation>
    </message>
    <message>
        <source>times were measured on this machine on {}; then {} were predicted for a step of {} that took {}, {} off{}</source>
        <translation>时间于 {0} 在这台机器上测得；当时预测 {2} 的一步需要 {1}，实际用时 {3}，相差 {4}{5}</translation>
    </message>
    <message>
        <source>times were measured on this machine on {}{}</source>
        <translation>时间于 {} 在这台机器上测得{}</translation>
    </message>
    <message>
        <source>tokenizer.json is read from that file</source>
        <translation>tokenizer.json 从该文件读取</translation>
    </message>
    <message>
        <source>tokens on their way to their experts and back over {} expert ranks</source>
        <translation>在 {} 个专家并行 rank 上往返于专家的 token</translation>
    </message>
    <message>
        <source>tokens to their experts and back, and their gradients, all-to-all</source>
        <translation>token 往返于其专家，及其梯度，all-to-all</translation>
    </message>
    <message>
        <source>too many elements</source>
        <translation>元素太多</translation>
    </message>
    <message>
        <source>tree</source>
        <translation>树</translation>
    </message>
    <message>
        <source>two numbers, for instance [0.9, 0.95]</source>
        <translation>两个数，例如 [0.9, 0.95]</translation>
    </message>
    <message>
        <source>two weight versions are enough where a step has at least as many microbatches as the pipeline has ranks, and {} are fewer than {}</source>
        <translation>只有一步的微批次数不少于流水线的 rank 数时，两个权重版本才够用，而 {} 少于 {}</translation>
    </message>
    <message>
        <source>unknown key</source>
        <translation>未知的键</translation>
    </message>
    <message>
        <source>values of {} columns are wider than queries, which have {}</source>
        <translation>{} 列的值比 {} 列的查询更宽</translation>
    </message>
    <message>
        <source>weights and centre differ by less than 16 bits can express</source>
        <translation>权重与中心之差小于 16 位所能表示的精度</translation>
    </message>
    <message>
        <source>weights in {} alone: an update smaller than {} of its weight is lost; precision.weights master sums updates up in fp32</source>
        <translation>权重只有 {}：小于其权重 {} 的更新会丢失；precision.weights 取 master 时用 fp32 累加更新</translation>
    </message>
    <message>
        <source>weights, between a replica and the centre</source>
        <translation>权重，在副本与中心之间</translation>
    </message>
    <message>
        <source>weights, from the server</source>
        <translation>权重，来自服务器</translation>
    </message>
    <message>
        <source>what fails a thousand times will fail again</source>
        <translation>失败了一千次的还会再失败</translation>
    </message>
    <message>
        <source>the attention of other programs keeps what the exchange of the heads brought, so that nothing is left to make again</source>
        <translation>其他程序的注意力保留交换头所得的结果，因此没有什么可重新生成</translation>
    </message>
    <message>
        <source>what the optimizer keeps of rows and columns is put together over whole tensor groups</source>
        <translation>优化器为行和列保留的内容在整个张量组上汇总</translation>
    </message>
    <message>
        <source>whenever a step ends, workers are in the middle of computing their gradients</source>
        <translation>每当一步结束时，各工作者正在计算各自的梯度</translation>
    </message>
    <message>
        <source>whole layers to replicas with experts over {} ranks</source>
        <translation>整层分给各副本，而专家分布于 {} 个 rank</translation>
    </message>
    <message>
        <source>with 0 no token would go anywhere</source>
        <translation>为 0 时没有 token 会去往任何地方</translation>
    </message>
    <message>
        <source>with a base of 1 all pairs turn alike</source>
        <translation>基数为 1 时所有数对的旋转都相同</translation>
    </message>
    <message>
        <source>with a limit near 0 all gates would be shut</source>
        <translation>上限接近 0 时所有的门都会关闭</translation>
    </message>
    <message>
        <source>with less the assignment is found too slowly</source>
        <translation>更小时求分配方案太慢</translation>
    </message>
    <message>
        <source>with more than half of the memory kept free, a device is better modelled as a smaller one</source>
        <translation>若要空出一半以上的内存，不如用更小的设备来建模</translation>
    </message>
    <message>
        <source>with one expert a softmax over it alone is always 1 and nothing is learned; more are for dense models</source>
        <translation>只有一个专家时，对它单独的 softmax 恒为 1，什么也学不到；更多的专家属于稠密模型</translation>
    </message>
    <message>
        <source>with one group the weight of groups is always 1 and is not learned; more are for dense models</source>
        <translation>只有一个组时，组的权重恒为 1，无法学习；更多的组属于稠密模型</translation>
    </message>
    <message>
        <source>with the method ulysses each member of a context group computes equally many of the heads that a tensor rank has</source>
        <translation>使用 ulysses 方法时，上下文组的每个成员计算同样多的头，这些头属于同一个张量并行 rank</translation>
    </message>
    <message>
        <source>with {} the experts of a token depend on the tokens after it: the loss is lower than a model that generates text can reach</source>
        <translation>使用 {} 时，一个 token 的专家取决于其后的 token：损失低于生成文本的模型所能达到的值</translation>
    </message>
    <message>
        <source>with {} the second expert of a token is drawn at random, with twice its share of the two weights as the probability: a token uses one expert or two, and always two in validation, which draws nothing</source>
        <translation>使用 {} 时，一个 token 的第二个专家随机抽取，概率为它在两个权重中所占比例的两倍：一个 token 使用一个或两个专家；验证时不抽取，总是两个</translation>
    </message>
    <message>
        <source>within each of {} copies over {} ranks</source>
        <translation>在 {} 份拷贝各自内部，每份 {} 个 rank</translation>
    </message>
    <message>
        <source>without ZeRO every replica holds all of its state</source>
        <translation>没有 ZeRO 时，每个副本保存自己的全部状态</translation>
    </message>
    <message>
        <source>without a lock: {} write the same weights, which lie once in the host&apos;s memory, and each worker computes its gradients with a copy of its own; there are no messages, and no worker waits for another; a step has one update of each worker, and the staleness of a gradient is {} updates of other workers if all are equally fast</source>
        <translation>无锁：{} 写同一份权重，该权重在主机内存中只有一份，每个工作者用自己的副本计算梯度；没有消息，也没有工作者互相等待；一步包含每个工作者的一次更新，若速度相同，一个梯度的陈旧度是其他工作者的 {} 次更新</translation>
    </message>
    <message>
        <source>without it a row of zeros would be divided by zero, and with much of it no row has the size that a norm gives it</source>
        <translation>没有它，全零的行会除以零；太大时，没有一行具有归一化赋予的大小</translation>
    </message>
    <message>
        <source>workers {} × micro {} does not divide {}</source>
        <translation>工作者 {} × 微批次 {} 无法整除 {}</translation>
    </message>
    <message>
        <source>wrong type</source>
        <translation>类型错误</translation>
    </message>
    <message>
        <source>yarn tells pairs apart by how often they turn</source>
        <translation>yarn 按旋转次数区分数对</translation>
    </message>
    <message>
        <source>{:.3g} places of experts are too many at once</source>
        <translation>一次 {} 个专家位置太多</translation>
    </message>
    <message>
        <source>{:.9g} is more than the learning rate of {:.9g}</source>
        <translation>{} 大于学习率 {}</translation>
    </message>
    <message>
        <source>{:.9g} is no number</source>
        <translation>{} 不是数</translation>
    </message>
    <message>
        <source>{:.9g} is too large</source>
        <translation>{} 太大</translation>
    </message>
    <message>
        <source>{:.9g} is too small</source>
        <translation>{} 太小</translation>
    </message>
    <message>
        <source>{} (did you mean {}?)</source>
        <translation>{}（是否想写 {}？）</translation>
    </message>
    <message>
        <source>{} ({} of the step) {}</source>
        <translation>{}（占该步的 {}）{}</translation>
    </message>
    <message>
        <source>{} ({}) or more; or 0 for no limit; or fewer run.steps</source>
        <translation>{}（{}）或更大；或 0，表示没有上限；或减小 run.steps</translation>
    </message>
    <message>
        <source>{} activations and recompute {}</source>
        <translation>激活值取 {} 而重计算方式为 {}</translation>
    </message>
    <message>
        <source>{} activations of the model {}</source>
        <translation>模型 {1} 的激活值取 {0}</translation>
    </message>
    <message>
        <source>{} are {} ranks, but the hosts have {} devices</source>
        <translation>{} 即 {} 个 rank，但主机有 {} 个设备</translation>
    </message>
    <message>
        <source>{} are {} ranks, more than the {} devices of the hosts</source>
        <translation>{} 即 {} 个 rank，多于主机的 {} 个设备</translation>
    </message>
    <message>
        <source>{} betas are listed</source>
        <translation>列出了 {} 个 beta</translation>
    </message>
    <message>
        <source>{} between −cap and cap are told apart by fp32 where the cap is not tiny</source>
        <translation>只有上限不过小时，fp32 才能区分 −cap 与 cap 之间的{}</translation>
    </message>
    <message>
        <source>{} blocks of a cnn</source>
        <translation>cnn 有 {} 个块</translation>
    </message>
    <message>
        <source>{} cannot be elastic</source>
        <translation>{} 不能是弹性运行</translation>
    </message>
    <message>
        <source>{} cannot be restarted</source>
        <translation>{} 无法重启</translation>
    </message>
    <message>
        <source>{} cannot clip by the norm of the whole gradient</source>
        <translation>{} 无法按整个梯度的范数裁剪</translation>
    </message>
    <message>
        <source>{} cannot scale the loss</source>
        <translation>{} 无法缩放损失</translation>
    </message>
    <message>
        <source>{} columns cannot be turned in pairs</source>
        <translation>{} 列无法成对旋转</translation>
    </message>
    <message>
        <source>{} data ranks</source>
        <translation>{} 个数据并行 rank</translation>
    </message>
    <message>
        <source>{} data ranks do not divide into copies over {}</source>
        <translation>{} 个数据并行 rank 无法分成每份 {} 个 rank 的拷贝</translation>
    </message>
    <message>
        <source>{} do not divide into groups of {}</source>
        <translation>{} 无法分成每组 {} 个</translation>
    </message>
    <message>
        <source>{} does not fit</source>
        <translation>{} 放不下</translation>
    </message>
    <message>
        <source>{} does not go with {}</source>
        <translation>{} 不能与 {} 同用</translation>
    </message>
    <message>
        <source>{} does not work with 1 chunk</source>
        <translation>{} 不能只用 1 个模型块</translation>
    </message>
    <message>
        <source>{} does not work with ZeRO</source>
        <translation>{} 不能与 ZeRO 同用</translation>
    </message>
    <message>
        <source>{} does not work with flat shards of ZeRO {}</source>
        <translation>{} 不能与 ZeRO {} 的平铺分片同用</translation>
    </message>
    <message>
        <source>{} does not work with {} chunks</source>
        <translation>{} 不能用 {} 个模型块</translation>
    </message>
    <message>
        <source>{} experts</source>
        <translation>{} 个专家</translation>
    </message>
    <message>
        <source>{} experts do not divide into {} shares</source>
        <translation>{} 个专家无法分成 {} 份</translation>
    </message>
    <message>
        <source>{} experts of a token, but there are {}</source>
        <translation>每个 token 选 {} 个专家，但只有 {} 个</translation>
    </message>
    <message>
        <source>{} experts of each group, but there are {}</source>
        <translation>每个组选 {} 个专家，但只有 {} 个</translation>
    </message>
    <message>
        <source>{} experts of {} groups of {}</source>
        <translation>从 {1} 个各有 {2} 个专家的组中选 {0} 个专家</translation>
    </message>
    <message>
        <source>{} experts with {} places each cannot all be full where {} tokens take {} each</source>
        <translation>{} 个专家各有 {} 个位置，而 {} 个 token 各占 {} 个，无法全部填满</translation>
    </message>
    <message>
        <source>{} for the model cnn</source>
        <translation>模型 cnn 使用 {}</translation>
    </message>
    <message>
        <source>{} groups do not divide {} experts</source>
        <translation>{} 个组无法平分 {} 个专家</translation>
    </message>
    <message>
        <source>{} groups of a token, but there are {}</source>
        <translation>每个 token 选 {} 个组，但只有 {} 个组</translation>
    </message>
    <message>
        <source>{} groups of {} experts</source>
        <translation>{1} 个专家分成 {0} 个组</translation>
    </message>
    <message>
        <source>{} has no field of this name</source>
        <translation>{} 没有这个名称的字段</translation>
    </message>
    <message>
        <source>{} has no schedule {}: times are those of its kernels in that order</source>
        <translation>{} 没有调度 {}：时间是按该顺序执行其内核的时间</translation>
    </message>
    <message>
        <source>{} heads do not divide hidden {}</source>
        <translation>{} 个头无法整除隐藏维度 {}</translation>
    </message>
    <message>
        <source>{} heads do not divide into {} shares</source>
        <translation>{} 个头无法分成 {} 份</translation>
    </message>
    <message>
        <source>{} heads of keys do not divide {} heads</source>
        <translation>{} 个键头无法整除 {} 个头</translation>
    </message>
    <message>
        <source>{} images of {} × {} pixels are too many at once</source>
        <translation>一次 {} 幅 {} × {} 像素的图像太多</translation>
    </message>
    <message>
        <source>{} in fp32</source>
        <translation>fp32 下的 {}</translation>
    </message>
    <message>
        <source>{} is a JSON {}</source>
        <translation>{} 是 JSON {}</translation>
    </message>
    <message>
        <source>{} is not built yet</source>
        <translation>{} 尚未实现</translation>
    </message>
    <message>
        <source>{} is too small for the bytes tokenizer</source>
        <translation>{} 对 bytes 分词器来说太小</translation>
    </message>
    <message>
        <source>{} is unknown</source>
        <translation>{} 未知</translation>
    </message>
    <message>
        <source>{} layers and experts in every {}. block</source>
        <translation>{} 层，而每 {} 个块才有专家</translation>
    </message>
    <message>
        <source>{} layers do not divide into {} stages</source>
        <translation>{} 层无法平分为 {} 个阶段</translation>
    </message>
    <message>
        <source>{} layers or more; or model.experts_every {}; or a model without experts</source>
        <translation>{} 层或更多；或 model.experts_every 取 {}；或使用没有专家的模型</translation>
    </message>
    <message>
        <source>{} layers with embedding and output are too few for {} stages</source>
        <translation>{} 层加上嵌入和输出对 {} 个阶段来说太少</translation>
    </message>
    <message>
        <source>{} makes its own order</source>
        <translation>{} 自行生成顺序</translation>
    </message>
    <message>
        <source>{} members cannot divide {} tokens</source>
        <translation>{} 个成员无法分担 {} 个 token 的词表</translation>
    </message>
    <message>
        <source>{} microbatches</source>
        <translation>{} 个微批次</translation>
    </message>
    <message>
        <source>{} microbatches or more</source>
        <translation>{} 个微批次或更多</translation>
    </message>
    <message>
        <source>{} numbers</source>
        <translation>{} 个数</translation>
    </message>
    <message>
        <source>{} numbers of a segment&apos;s input do not divide into {} parts</source>
        <translation>一个片段输入的 {} 个数无法分成 {} 份</translation>
    </message>
    <message>
        <source>{} numbers, for instance {}</source>
        <translation>{} 个数，例如 {}</translation>
    </message>
    <message>
        <source>{} numbers; or [] for 4 × hidden = {} in every layer; or one number for all</source>
        <translation>{} 个数；或 []，表示每层均为 4 × 隐藏维度 = {}；或所有层共用一个数</translation>
    </message>
    <message>
        <source>{} of {} heads do not divide into {} shares</source>
        <translation>{1} 个头中的 {0} 个无法分成 {2} 份</translation>
    </message>
    <message>
        <source>{} on the host of {}</source>
        <translation>{}放在 {} 的主机上</translation>
    </message>
    <message>
        <source>{} on {}</source>
        <translation>{1} 上的 {0}</translation>
    </message>
    <message>
        <source>{}; or a smaller model.capacity</source>
        <translation>{}；或减小 model.capacity</translation>
    </message>
    <message>
        <source>{} or {}</source>
        <translation>{} 或 {}</translation>
    </message>
    <message>
        <source>{} or {}; or fewer model.layers</source>
        <translation>{} 或 {}；或减小 model.layers</translation>
    </message>
    <message>
        <source>{} parts of each tensor group hold different experts, {} of {}, {}: a part computes the rows of its own experts, and the members&apos; sum brings them together</source>
        <translation>每个张量组的 {0} 个部分持有不同的专家，各为 {2} 个中的 {1} 个，{3}：每个部分计算自己专家的行，各成员求和后汇总</translation>
    </message>
    <message>
        <source>{} pixels cannot be halved {} times</source>
        <translation>{} 像素无法减半 {} 次</translation>
    </message>
    <message>
        <source>{} ranks share the {} {} of this machine: ranks that compute at the same time get equal shares</source>
        <translation>{} 个 rank 共用这台机器的 {} 个{}：同时计算的 rank 平分它们</translation>
    </message>
    <message>
        <source>{} ranks with the same</source>
        <translation>{} 个持有相同内容的 rank</translation>
    </message>
    <message>
        <source>{} ranks with {} of {} experts each</source>
        <translation>{} 个 rank，各有 {2} 个专家中的 {1} 个</translation>
    </message>
    <message>
        <source>{} recomputation computes the norms and activations of transformers again</source>
        <translation>{} 重计算会重新计算 transformer 的归一化和激活函数</translation>
    </message>
    <message>
        <source>{} replicas</source>
        <translation>{} 个副本</translation>
    </message>
    <message>
        <source>{} samples of {} tokens are too many at once</source>
        <translation>一次 {} 个各有 {} 个 token 的样本太多</translation>
    </message>
    <message>
        <source>{} samples of {} tokens do not divide into {} shares</source>
        <translation>{} 个各有 {} 个 token 的样本无法分成 {} 份</translation>
    </message>
    <message>
        <source>the length of the list is {}, but pipeline × chunks is {}</source>
        <translation>列表长度为 {}，但流水线 × 模型块数为 {}</translation>
    </message>
    <message>
        <source>{} takes no checkpoints</source>
        <translation>{} 不写检查点</translation>
    </message>
    <message>
        <source>{} takes no limit</source>
        <translation>{} 不接受上限</translation>
    </message>
    <message>
        <source>{} takes no vertical sync</source>
        <translation>{} 不接受垂直同步</translation>
    </message>
    <message>
        <source>{} to 1000000; or 0 for no cap</source>
        <translation>{} 到 1000000；或 0，表示没有上限</translation>
    </message>
    <message>
        <source>{} to {}</source>
        <translation>{} 到 {}</translation>
    </message>
    <message>
        <source>{} usable ({} less a reserve of {})</source>
        <translation>可用 {}（{} 减去预留 {}）</translation>
    </message>
    <message>
        <source>{} usable, with no reserve</source>
        <translation>可用 {}，没有预留</translation>
    </message>
    <message>
        <source>{} where activations are {}</source>
        <translation>激活值为 {1} 时取 {0}</translation>
    </message>
    <message>
        <source>{} widths are listed, but the model has {} layers</source>
        <translation>列出了 {} 个宽度，但模型有 {} 层</translation>
    </message>
    <message>
        <source>{} with 1 chunk</source>
        <translation>{}，用 1 个模型块</translation>
    </message>
    <message>
        <source>{} with one replica</source>
        <translation>{} 只有一个副本</translation>
    </message>
    <message>
        <source>{} with the model {}</source>
        <translation>{} 与模型 {} 同用</translation>
    </message>
    <message>
        <source>{} with {}</source>
        <translation>{} 与 {} 同用</translation>
    </message>
    <message>
        <source>{} with {} chunks</source>
        <translation>{}，用 {} 个模型块</translation>
    </message>
    <message>
        <source>{} workers</source>
        <translation>{} 个工作者</translation>
    </message>
    <message>
        <source>{}, heads of {}</source>
        <translation>{}，每个头宽 {}</translation>
    </message>
    <message>
        <source>{}, with momentum 0</source>
        <translation>{}，动量为 0</translation>
    </message>
    <message>
        <source>{}, without ZeRO</source>
        <translation>{}，不用 ZeRO</translation>
    </message>
    <message>
        <source>{}, without sequence parallelism</source>
        <translation>{}，不用序列并行</translation>
    </message>
    <message>
        <source>{}, {}</source>
        <translation>{}、{}</translation>
    </message>
    <message>
        <source>{}, {} on the slowest stage</source>
        <translation>{}，最慢的阶段为 {}</translation>
    </message>
    <message>
        <source>{}: a step lasts {}</source>
        <translation>{}：一步持续 {}</translation>
    </message>
    <message>
        <source>{}; or 0</source>
        <translation>{}；或 0</translation>
    </message>
    <message>
        <source>{}; or 0 for as many as heads</source>
        <translation>{}；或 0，表示与头数相同</translation>
    </message>
    <message>
        <source>{}; or 0, as all else</source>
        <translation>{}；或 0，与其余部分相同</translation>
    </message>
    <message>
        <source>{}; or 0: all data ranks share one copy</source>
        <translation>{}；或 0：所有数据并行 rank 共享一份拷贝</translation>
    </message>
    <message>
        <source>{}; or a parallel.data that is a multiple of {}</source>
        <translation>{}；或 parallel.data 取 {} 的倍数</translation>
    </message>
    <message>
        <source>{}; or fewer model.expert_groups</source>
        <translation>{}；或减小 model.expert_groups</translation>
    </message>
    <message>
        <source>{}; or fewer model.layers</source>
        <translation>{}；或减小 model.layers</translation>
    </message>
    <message>
        <source>{}; or micro {}</source>
        <translation>{}；或微批次 {}</translation>
    </message>
    <message>
        <source>{}; or model.sequence {}</source>
        <translation>{}；或 model.sequence 取 {}</translation>
    </message>
    <message>
        <source>{}; or more model.top_groups</source>
        <translation>{}；或增大 model.top_groups</translation>
    </message>
    <message>
        <source>{}; or parallel.context_method ring</source>
        <translation>{}；或 parallel.context_method 取 ring</translation>
    </message>
    <message>
        <source>{}; or schedule.stages {}; or schedule.count_ends true</source>
        <translation>{}；或 schedule.stages 取 {}；或 schedule.count_ends 取 true</translation>
    </message>
    <message>
        <source>{}; or {} devices in cluster.hosts</source>
        <translation>{}；或在 cluster.hosts 中给出 {} 个设备</translation>
    </message>
    <message>
        <source>{}; so with micro {}</source>
        <translation>{}；即微批次取 {}</translation>
    </message>
    <message>
        <source>{}; times are those of {}</source>
        <translation>{}；时间是 {} 的时间</translation>
    </message>
    <message>
        <source>{}; {} split {} layers evenly over {} ranks</source>
        <translation>{}；取 {} 时 {} 层平均分到 {} 个 rank</translation>
    </message>
    <message>
        <source>{}; {} splits {} layers evenly over {} ranks</source>
        <translation>{}；取 {} 时 {} 层平均分到 {} 个 rank</translation>
    </message>
    <message>
        <source>(p−1)/(3m+p−1)</source>
        <translation>(p−1)/(3m+p−1)</translation>
    </message>
    <message>
        <source>(p−1)/(m+p−1)</source>
        <translation>(p−1)/(m+p−1)</translation>
    </message>
    <message>
        <source>(p−1)/(vm+p−1)</source>
        <translation>(p−1)/(vm+p−1)</translation>
    </message>
    <message>
        <source>(p−1)/p</source>
        <translation>(p−1)/p</translation>
    </message>
    <message>
        <source>0 between fill and drain: no step waits for the one before</source>
        <translation>填充与排空之间为 0：没有一步等待前一步</translation>
    </message>
    <message>
        <source>1 − vm/((v−1)·max(m,p)+m+p−1)</source>
        <translation>1 − vm/((v−1)·max(m,p)+m+p−1)</translation>
    </message>
    <message>
        <source>counted from the order with F = I = W and B = 2 F; the closed form holds for other m</source>
        <translation>按 F = I = W、B = 2 F 由顺序数出；闭式公式适用于其他的 m</translation>
    </message>
    <message>
        <source>counted from the order with F = I = W and B = 2 F; there is no closed form</source>
        <translation>按 F = I = W、B = 2 F 由顺序数出；没有闭式公式</translation>
    </message>
    <message>
        <source>{} usable ({} less a reserve of {} and {} for the program)</source>
        <translation>可用 {}（{} 减去预留 {} 和程序占用的 {}）</translation>
    </message>
    <message>
        <source>{} usable ({} less {} for the program)</source>
        <translation>可用 {}（{} 减去程序占用的 {}）</translation>
    </message>
    <message>
        <source>Tokens ahead</source>
        <translation>预先预测的 token</translation>
    </message>
    <message>
        <source>Tokens behind the next one that are predicted too, each by a module above the model: a block that joins what the block below makes with the embedding of the token that is known by then (multi-token prediction, DeepSeek-V3). Embedding and output projection are the model&apos;s own.</source>
        <translation>除下一个 token 之外还要预测的 token 数，每个由模型之上的一个模块预测：该模块的块把下方块的输出与此时已知的 token 的嵌入合并（多 token 预测，DeepSeek-V3）。嵌入和输出投影与模型共用。</translation>
    </message>
    <message>
        <source>Weight ahead</source>
        <translation>预先预测的权重</translation>
    </message>
    <message>
        <source>λ: what the mean of the modules&apos; losses is multiplied by before it is added to the loss.</source>
        <translation>λ：各模块损失的平均值乘以它之后加到损失上。</translation>
    </message>
    <message>
        <source>only where tokens are predicted ahead: with a model.predicted_tokens above 0</source>
        <translation>仅在预先预测 token 时：model.predicted_tokens 大于 0</translation>
    </message>
    <message>
        <source>loss of predictions ahead</source>
        <translation>预先预测的损失</translation>
    </message>
    <message>
        <source>a token {} ahead lies behind the end of samples of {}</source>
        <translation>提前 {} 个 token 已超出长度为 {} 的样本的末尾</translation>
    </message>
    <message>
        <source>a token of a sample is to be there for each to be predicted from</source>
        <translation>样本中必须有 token，才能由它预测每一个</translation>
    </message>
    <message>
        <source>0 to {}</source>
        <translation>0 到 {}</translation>
    </message>
    <message>
        <source>0; or a longer model.sequence</source>
        <translation>0；或使用更长的 model.sequence</translation>
    </message>
    <message>
        <source>{} has no moment at which the first and the last stage agree on the embedding</source>
        <translation>{} 没有让第一个和最后一个阶段的嵌入取得一致的时刻</translation>
    </message>
    <message>
        <source>modules embed tokens on the last stage, and both copies take the sum of their gradients</source>
        <translation>模块在最后一个阶段嵌入 token，两份拷贝都采用它们的梯度之和</translation>
    </message>
    <message>
        <source>each has a block of its own, and published models have one</source>
        <translation>每个都有自己的一个块，而已发表的模型只有一个</translation>
    </message>
    <message>
        <source>it is a weight beside the loss&apos;s own, which is 1</source>
        <translation>它是与损失自身的权重 1 并列的权重</translation>
    </message>
    <message>
        <source>&quot;{}&quot; are {} nodes, SLURM_JOB_NODELIST names {}</source>
        <translation>“{}”共 {} 个节点，SLURM_JOB_NODELIST 列出 {} 个</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is no factor by which computing takes longer</source>
        <translation>“{}”不是计算放慢的倍数</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is no fault</source>
        <translation>“{}”不是故障</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is no number of steps</source>
        <translation>“{}”不是步数</translation>
    </message>
    <message>
        <source>&apos;{}&apos; is no rank</source>
        <translation>“{}”不是 rank</translation>
    </message>
    <message>
        <source>/attention: there is no kernel &quot;{}&quot;</source>
        <translation>/attention：没有内核“{}”</translation>
    </message>
    <message>
        <source>/pointer=value, for instance /parallel/data=4</source>
        <translation>/指针=值，例如 /parallel/data=4</translation>
    </message>
    <message>
        <source>/run/steps above {}</source>
        <translation>大于 {} 的 /run/steps</translation>
    </message>
    <message>
        <source>0 or 1; or parallel.pipeline 1</source>
        <translation>0 或 1；或 parallel.pipeline 1</translation>
    </message>
    <message>
        <source>0 stands for a dynamic scale there</source>
        <translation>在那里 0 表示动态损失缩放</translation>
    </message>
    <message>
        <source>0, or 2 or more</source>
        <translation>0，或不小于 2</translation>
    </message>
    <message>
        <source>0; or memory.recompute full</source>
        <translation>0；或 memory.recompute full</translation>
    </message>
    <message>
        <source>0; or optimizer.momentum 0</source>
        <translation>0；或 optimizer.momentum 0</translation>
    </message>
    <message>
        <source>0; or optimizer.schedule cosine</source>
        <translation>0；或 optimizer.schedule cosine</translation>
    </message>
    <message>
        <source>0; or parallel.zero 2 or 3, with memory.offload none or parameters</source>
        <translation>0；或 parallel.zero 2 或 3，且 memory.offload 为 none 或 parameters</translation>
    </message>
    <message>
        <source>0; or with recompute full a divisor of the blocks of every stage</source>
        <translation>0；或在重计算方式 full 下取各阶段块数的公约数</translation>
    </message>
    <message>
        <source>1 line</source>
        <translation>1 行</translation>
    </message>
    <message>
        <source>1 or more; 0 for as many as there are ranks</source>
        <translation>不小于 1；0 表示与 rank 数相同</translation>
    </message>
    <message>
        <source>1 rank</source>
        <translation>1 个 rank</translation>
    </message>
    <message>
        <source>1 to {} are possible: choose a shorter folder</source>
        <translation>可以有 1 到 {} 个字节：请选择路径更短的文件夹</translation>
    </message>
    <message>
        <source>1, or no version</source>
        <translation>1，或不写版本</translation>
    </message>
    <message>
        <source>1; or parallel.pipeline 1</source>
        <translation>1；或 parallel.pipeline 1</translation>
    </message>
    <message>
        <source>1; or parallel.pipeline 1 and parallel.tensor 1</source>
        <translation>1；或 parallel.pipeline 1 且 parallel.tensor 1</translation>
    </message>
    <message>
        <source>1; or parallel.zero 2 or 3</source>
        <translation>1；或 parallel.zero 2 或 3</translation>
    </message>
    <message>
        <source>1; or precision.compute bf16</source>
        <translation>1；或 precision.compute bf16</translation>
    </message>
    <message>
        <source>1f1b; or parallel.pipeline of at least 2</source>
        <translation>1f1b；或 parallel.pipeline 不小于 2</translation>
    </message>
    <message>
        <source>2 or more</source>
        <translation>不小于 2</translation>
    </message>
    <message>
        <source>2, or 0</source>
        <translation>2，或 0</translation>
    </message>
    <message>
        <source>@v{}</source>
        <translation>@v{}</translation>
    </message>
    <message>
        <source>A backward between two updates</source>
        <translation>两次更新之间要有一个反向</translation>
    </message>
    <message>
        <source>A backward with the weights of its forward</source>
        <translation>反向使用其前向的权重</translation>
    </message>
    <message>
        <source>A file as torch.profiler writes it</source>
        <translation>torch.profiler 所写的文件</translation>
    </message>
    <message>
        <source>A host name or an address, then a port</source>
        <translation>主机名或地址，然后是端口</translation>
    </message>
    <message>
        <source>A layout is a JSON object: {{}} is the default one</source>
        <translation>布局是一个 JSON 对象：{{}} 即默认布局</translation>
    </message>
    <message>
        <source>A pipeline rank that there is</source>
        <translation>存在的流水线 rank</translation>
    </message>
    <message>
        <source>A run is a file that Shardlab has recorded (*.shardlab)</source>
        <translation>运行文件由 Shardlab 记录（*.shardlab）</translation>
    </message>
    <message>
        <source>A stage lives on one rank</source>
        <translation>一个阶段只在一个 rank 上</translation>
    </message>
    <message>
        <source>A trace as chrome://tracing reads it, whose lists and objects lie about 5 deep</source>
        <translation>chrome://tracing 所读的跟踪，其列表和对象约嵌套 5 层</translation>
    </message>
    <message>
        <source>A trace is an object with a list traceEvents, or that list alone</source>
        <translation>跟踪是带有列表 traceEvents 的对象，或就是这个列表</translation>
    </message>
    <message>
        <source>A trace of fewer steps or ranks, or the trace as a file that is not packed</source>
        <translation>步数或 rank 更少的跟踪，或未压缩的跟踪文件</translation>
    </message>
    <message>
        <source>A trace whose spans end, or have a duration (X)</source>
        <translation>其区间有结束或有时长（X）的跟踪</translation>
    </message>
    <message>
        <source>A version from its stash to its free</source>
        <translation>从暂存到释放之间的版本</translation>
    </message>
    <message>
        <source>A version that was stashed, once</source>
        <translation>已暂存的版本，且只释放一次</translation>
    </message>
    <message>
        <source>A version, as @v0</source>
        <translation>写明版本，如 @v0</translation>
    </message>
    <message>
        <source>Actions of a stage stand on its pipeline rank</source>
        <translation>阶段的动作写在它的流水线 rank 上</translation>
    </message>
    <message>
        <source>Address already in use</source>
        <translation>地址已在使用</translation>
    </message>
    <message>
        <source>After the last backward of its pipeline rank</source>
        <translation>在该流水线 rank 的最后一个反向之后</translation>
    </message>
    <message>
        <source>After the last backward of its stage</source>
        <translation>在该阶段的最后一个反向之后</translation>
    </message>
    <message>
        <source>All that could be read has been exported to {}</source>
        <translation>所有可读的内容已导出到 {}</translation>
    </message>
    <message>
        <source>An address of this machine</source>
        <translation>本机的地址</translation>
    </message>
    <message>
        <source>An order in which every input comes first</source>
        <translation>使每个输入都先产生的顺序</translation>
    </message>
    <message>
        <source>Another file</source>
        <translation>另一个文件</translation>
    </message>
    <message>
        <source>Another port, or 0 for any that is free</source>
        <translation>另一个端口，或用 0 表示任意空闲端口</translation>
    </message>
    <message>
        <source>At least one of each</source>
        <translation>两者至少各一个</translation>
    </message>
    <message>
        <source>At least one pipeline rank, one stage and one microbatch</source>
        <translation>至少一个流水线 rank、一个阶段和一个微批次</translation>
    </message>
    <message>
        <source>At least one stage on each pipeline rank</source>
        <translation>每个流水线 rank 上至少一个阶段</translation>
    </message>
    <message>
        <source>At most 4194304 = stages × microbatches</source>
        <translation>阶段数 × 微批次数最多 4194304</translation>
    </message>
    <message>
        <source>At most 65536 stages, and 4194304 = stages × microbatches</source>
        <translation>最多 65536 个阶段，且阶段数 × 微批次数最多 4194304</translation>
    </message>
    <message>
        <source>At most {}</source>
        <translation>最多 {}</translation>
    </message>
    <message>
        <source>Begin at its start</source>
        <translation>从它的开头开始</translation>
    </message>
    <message>
        <source>Both ends of a message in one order over all pipeline ranks</source>
        <translation>在所有流水线 rank 上，每条消息的两端顺序一致</translation>
    </message>
    <message>
        <source>Cannot allocate memory</source>
        <translation>无法分配内存</translation>
    </message>
    <message>
        <source>Cannot assign requested address</source>
        <translation>无法使用所请求的地址</translation>
    </message>
    <message>
        <source>Choose a copy of the run in a folder that can be written</source>
        <translation>选择运行的一个副本，其文件夹可写</translation>
    </message>
    <message>
        <source>Choose another file</source>
        <translation>选择另一个文件</translation>
    </message>
    <message>
        <source>Choose another name</source>
        <translation>选择另一个名称</translation>
    </message>
    <message>
        <source>Connection refused</source>
        <translation>连接被拒绝</translation>
    </message>
    <message>
        <source>Connection reset by peer</source>
        <translation>连接被对端重置</translation>
    </message>
    <message>
        <source>Connection timed out</source>
        <translation>连接超时</translation>
    </message>
    <message>
        <source>Device or resource busy</source>
        <translation>设备或资源正忙</translation>
    </message>
    <message>
        <source>Directory not empty</source>
        <translation>文件夹非空</translation>
    </message>
    <message>
        <source>Disk quota exceeded</source>
        <translation>超出磁盘配额</translation>
    </message>
    <message>
        <source>Dumps of a job, one file per rank</source>
        <translation>一个作业的转储，每个 rank 一个文件</translation>
    </message>
    <message>
        <source>Dumps of one job, written by one version of PyTorch</source>
        <translation>同一个作业由同一版本的 PyTorch 写出的转储</translation>
    </message>
    <message>
        <source>Each microbatch exactly once per stage</source>
        <translation>每个微批次在每个阶段恰好一次</translation>
    </message>
    <message>
        <source>Each version once</source>
        <translation>每个版本一次</translation>
    </message>
    <message>
        <source>Either B, or I and W</source>
        <translation>要么 B，要么 I 和 W</translation>
    </message>
    <message>
        <source>End that program or choose another folder</source>
        <translation>结束那个程序，或选择另一个文件夹</translation>
    </message>
    <message>
        <source>Events within 36 years of the first one</source>
        <translation>与第一个事件相距不超过 36 年的事件</translation>
    </message>
    <message>
        <source>Exactly {}</source>
        <translation>恰好 {} 个</translation>
    </message>
    <message>
        <source>Exec format error</source>
        <translation>可执行文件格式错误</translation>
    </message>
    <message>
        <source>F32, F16 or BF16</source>
        <translation>F32、F16 或 BF16</translation>
    </message>
    <message>
        <source>FSDP divides gradients too</source>
        <translation>FSDP 连同梯度一起切分</translation>
    </message>
    <message>
        <source>FSDP gathers fp32 weights in bf16 for the layers</source>
        <translation>FSDP 为各层以 bf16 收集 fp32 权重</translation>
    </message>
    <message>
        <source>File exists</source>
        <translation>文件已存在</translation>
    </message>
    <message>
        <source>File name too long</source>
        <translation>文件名过长</translation>
    </message>
    <message>
        <source>File too large</source>
        <translation>文件过大</translation>
    </message>
    <message>
        <source>Files of one format</source>
        <translation>格式相同的文件</translation>
    </message>
    <message>
        <source>Free some space or choose another place</source>
        <translation>腾出一些空间，或选择别处</translation>
    </message>
    <message>
        <source>From {} to {}</source>
        <translation>{} 到 {}</translation>
    </message>
    <message>
        <source>GELU with tanh is that of its kernel which adds a bias too; without one it computes GELU exactly</source>
        <translation>tanh 近似的 GELU 来自它那个同时加偏置的内核；没有偏置时它精确计算 GELU</translation>
    </message>
    <message>
        <source>Importable are: {}</source>
        <translation>可以导入：{}</translation>
    </message>
    <message>
        <source>Input/output error</source>
        <translation>输入输出错误</translation>
    </message>
    <message>
        <source>Is a directory</source>
        <translation>是一个文件夹</translation>
    </message>
    <message>
        <source>Legal: {}</source>
        <translation>合法的是：{}</translation>
    </message>
    <message>
        <source>Messages of two pipeline ranks in the same order at both ends</source>
        <translation>两个流水线 rank 之间的消息在两端顺序相同</translation>
    </message>
    <message>
        <source>Messages only between neighbouring stages on different pipeline ranks</source>
        <translation>消息只能在不同流水线 rank 上的相邻阶段之间</translation>
    </message>
    <message>
        <source>Microbatches 0 to {}</source>
        <translation>微批次 0 到 {}</translation>
    </message>
    <message>
        <source>NAME slots=N</source>
        <translation>NAME slots=N</translation>
    </message>
    <message>
        <source>NAME, whose value is handed on, or NAME=VALUE</source>
        <translation>NAME（传递它的值）或 NAME=VALUE</translation>
    </message>
    <message>
        <source>NAME=VALUE, for instance pml=ucx; ompi_info --all lists them</source>
        <translation>NAME=VALUE，例如 pml=ucx；ompi_info --all 列出所有参数</translation>
    </message>
    <message>
        <source>Name or service not known</source>
        <translation>名称或服务未知</translation>
    </message>
    <message>
        <source>Names, arguments and numbers that are shorter</source>
        <translation>更短的名称、参数和数字</translation>
    </message>
    <message>
        <source>Network is unreachable</source>
        <translation>网络不可达</translation>
    </message>
    <message>
        <source>No backwards</source>
        <translation>没有反向</translation>
    </message>
    <message>
        <source>No limit, or a schedule that takes one</source>
        <translation>不设上限，或采用可设上限的调度</translation>
    </message>
    <message>
        <source>No route to host</source>
        <translation>没有到主机的路由</translation>
    </message>
    <message>
        <source>No space left on device</source>
        <translation>设备上没有剩余空间</translation>
    </message>
    <message>
        <source>No such file or directory</source>
        <translation>没有那个文件或文件夹</translation>
    </message>
    <message>
        <source>No vertical sync, or pipedream</source>
        <translation>不用垂直同步，或采用 pipedream</translation>
    </message>
    <message>
        <source>Non-recoverable failure in name resolution</source>
        <translation>名称解析失败且无法恢复</translation>
    </message>
    <message>
        <source>Not a directory</source>
        <translation>不是文件夹</translation>
    </message>
    <message>
        <source>Nothing is kept that could be swapped</source>
        <translation>没有任何可换出的保留数据</translation>
    </message>
    <message>
        <source>One dump per rank, the rank at the end of the file&apos;s name</source>
        <translation>每个 rank 一份转储，文件名以 rank 结尾</translation>
    </message>
    <message>
        <source>One line a rank, actions separated by commas: 0F0,0B0</source>
        <translation>每个 rank 一行，动作用逗号分隔：0F0,0B0</translation>
    </message>
    <message>
        <source>One of each for every rank or stage, and at least one microbatch</source>
        <translation>每个 rank 或阶段各一个，且至少一个微批次</translation>
    </message>
    <message>
        <source>One row of StringIds, and of ENUM_CUDA_MEMCPY_OPER, for each id</source>
        <translation>StringIds 和 ENUM_CUDA_MEMCPY_OPER 中每个编号一行</translation>
    </message>
    <message>
        <source>One trace of each rank, or several that one process recorded one after another</source>
        <translation>每个 rank 一份跟踪，或同一进程先后记录的多份</translation>
    </message>
    <message>
        <source>Only F, B, I and W</source>
        <translation>只有 F、B、I 和 W</translation>
    </message>
    <message>
        <source>Open it, or shardlab info</source>
        <translation>打开它，或用 shardlab info</translation>
    </message>
    <message>
        <source>OpenSSL gives no reason</source>
        <translation>OpenSSL 没有说明原因</translation>
    </message>
    <message>
        <source>Operation not permitted</source>
        <translation>不允许的操作</translation>
    </message>
    <message>
        <source>Permission denied</source>
        <translation>权限不足</translation>
    </message>
    <message>
        <source>PipelineModule balances stages by a rule, not by a list</source>
        <translation>PipelineModule 按规则均衡各阶段，而不按列表</translation>
    </message>
    <message>
        <source>RMSNorm of queries and keys beside layer norms</source>
        <translation>与层归一化并用的查询和键的 RMSNorm</translation>
    </message>
    <message>
        <source>Read-only file system</source>
        <translation>文件系统只读</translation>
    </message>
    <message>
        <source>Servname not supported for ai_socktype</source>
        <translation>该套接字类型不支持此服务</translation>
    </message>
    <message>
        <source>Set TMPDIR to a folder that can be written to</source>
        <translation>把 TMPDIR 设为可写的文件夹</translation>
    </message>
    <message>
        <source>Stage, kind and microbatch: {}; a version follows as @v1</source>
        <translation>阶段、种类和微批次：{}；其后可有版本，如 @v1</translation>
    </message>
    <message>
        <source>Stages 0 to {}</source>
        <translation>阶段 0 到 {}</translation>
    </message>
    <message>
        <source>Stages are numbered from 0 without gaps</source>
        <translation>阶段从 0 起连续编号</translation>
    </message>
    <message>
        <source>TMPDIR may name another place</source>
        <translation>TMPDIR 可以指定别处</translation>
    </message>
    <message>
        <source>Temporary failure in name resolution</source>
        <translation>名称解析暂时失败</translation>
    </message>
    <message>
        <source>Text file busy</source>
        <translation>程序文件正在使用</translation>
    </message>
    <message>
        <source>That of the first stage</source>
        <translation>第一个阶段的那一个</translation>
    </message>
    <message>
        <source>The action without its version</source>
        <translation>不带版本的该动作</translation>
    </message>
    <message>
        <source>The columns that Nsight Systems documents</source>
        <translation>Nsight Systems 文档所述的列</translation>
    </message>
    <message>
        <source>The file that the run wrote, or a copy</source>
        <translation>运行写出的文件，或它的副本</translation>
    </message>
    <message>
        <source>The layout that the traces&apos; program trained, or none</source>
        <translation>跟踪所属程序所训练的布局，或不指定布局</translation>
    </message>
    <message>
        <source>This one reads formats up to {}</source>
        <translation>此版本可读到格式 {}</translation>
    </message>
    <message>
        <source>Too many levels of symbolic links</source>
        <translation>符号链接层数过多</translation>
    </message>
    <message>
        <source>Too many open files</source>
        <translation>打开的文件过多</translation>
    </message>
    <message>
        <source>Traces of fewer processes</source>
        <translation>进程更少的跟踪</translation>
    </message>
    <message>
        <source>Up to {} unpacked bytes for each packed one, or the trace as a file that is not packed</source>
        <translation>每个压缩字节最多解压为 {} 个字节，或未压缩的跟踪文件</translation>
    </message>
    <message>
        <source>Updates of equally many microbatches</source>
        <translation>各次更新的微批次数相同</translation>
    </message>
    <message>
        <source>WarmupDecayLR falls to 0</source>
        <translation>WarmupDecayLR 降到 0</translation>
    </message>
    <message>
        <source>What nsys export --type sqlite writes</source>
        <translation>nsys export --type sqlite 所写的文件</translation>
    </message>
    <message>
        <source>Where a run is served or listened for, see shardlab run --help</source>
        <translation>运行在何处提供或监听，见 shardlab run --help</translation>
    </message>
    <message>
        <source>ZeRO 3 with tensor parallelism</source>
        <translation>ZeRO 3 与张量并行同用</translation>
    </message>
    <message>
        <source>ZeRO {} with a pipeline</source>
        <translation>ZeRO {} 与流水线同用</translation>
    </message>
    <message>
        <source>[HOST:]PORT, like 7000, node3:7000 or [::1]:7000</source>
        <translation>[主机:]端口，例如 7000、node3:7000 或 [::1]:7000</translation>
    </message>
    <message>
        <source>[], an even split</source>
        <translation>[]，即平均切分</translation>
    </message>
    <message>
        <source>a .bin and an .idx that were written together</source>
        <translation>一起写出的 .bin 和 .idx</translation>
    </message>
    <message>
        <source>a .bin with Megatron&apos;s .idx, or data.documents joined</source>
        <translation>带有 Megatron 的 .idx 的 .bin，或 data.documents joined</translation>
    </message>
    <message>
        <source>a .safetensors file, or a folder with model.safetensors</source>
        <translation>一个 .safetensors 文件，或含有 model.safetensors 的文件夹</translation>
    </message>
    <message>
        <source>a JSON object a line, with a text named {}</source>
        <translation>每行一个 JSON 对象，其中有名为 {} 的文本</translation>
    </message>
    <message>
        <source>a JSON of DeepSpeed</source>
        <translation>DeepSpeed 的 JSON</translation>
    </message>
    <message>
        <source>a JSON, and beside it what DeepSpeed expects of the model</source>
        <translation>一个 JSON，以及 DeepSpeed 对模型的要求</translation>
    </message>
    <message>
        <source>a Parquet file</source>
        <translation>Parquet 文件</translation>
    </message>
    <message>
        <source>a TOML of torchtitan</source>
        <translation>torchtitan 的 TOML</translation>
    </message>
    <message>
        <source>a TOML, with the schedule&apos;s CSV and the model&apos;s flavor beside it where they need one</source>
        <translation>一个 TOML，需要时另附调度的 CSV 和模型的规格</translation>
    </message>
    <message>
        <source>a UTF-8 text, or data.tokenizer bytes</source>
        <translation>UTF-8 文本，或 data.tokenizer bytes</translation>
    </message>
    <message>
        <source>a YAML for accelerate launch with its FSDP or DeepSpeed plugin, and a text for the script</source>
        <translation>供 accelerate launch 使用的 YAML，带 FSDP 或 DeepSpeed 插件，另有一段给脚本的说明</translation>
    </message>
    <message>
        <source>a backward needs what its forward left</source>
        <translation>反向需要其前向留下的数据</translation>
    </message>
    <message>
        <source>a base of {}</source>
        <translation>基数 {}</translation>
    </message>
    <message>
        <source>a block</source>
        <translation>一个数据块</translation>
    </message>
    <message>
        <source>a block cannot be read</source>
        <translation>一个数据块无法读取</translation>
    </message>
    <message>
        <source>a block holds other events than it says</source>
        <translation>一个数据块中的事件与它所述的不符</translation>
    </message>
    <message>
        <source>a bracket is closed that was not opened</source>
        <translation>有右括号而没有左括号</translation>
    </message>
    <message>
        <source>a bracket is not closed</source>
        <translation>有括号没有闭合</translation>
    </message>
    <message>
        <source>a certificate</source>
        <translation>证书</translation>
    </message>
    <message>
        <source>a checkpoint of the same model and optimizer</source>
        <translation>模型和优化器都相同的检查点</translation>
    </message>
    <message>
        <source>a checkpoint, or the folder that a run&apos;s checkpoints lie in</source>
        <translation>检查点，或运行的检查点所在的文件夹</translation>
    </message>
    <message>
        <source>a config.json as transformers writes it</source>
        <translation>transformers 所写的 config.json</translation>
    </message>
    <message>
        <source>a config.json of Hugging Face with a model_type</source>
        <translation>带有 model_type 的 Hugging Face config.json</translation>
    </message>
    <message>
        <source>a context group of {} ranks beside pipeline or tensor ranks</source>
        <translation>与流水线 rank 或张量 rank 并用的 {} 个 rank 的上下文组</translation>
    </message>
    <message>
        <source>a context group of {} ranks without FSDP</source>
        <translation>没有 FSDP 的 {} 个 rank 的上下文组</translation>
    </message>
    <message>
        <source>a context of OpenSSL</source>
        <translation>OpenSSL 的上下文</translation>
    </message>
    <message>
        <source>a dynamic loss scale with bf16</source>
        <translation>bf16 下的动态损失缩放</translation>
    </message>
    <message>
        <source>a dynamic scale that begins with {}</source>
        <translation>从 {} 开始的动态损失缩放系数</translation>
    </message>
    <message>
        <source>a file</source>
        <translation>一个文件</translation>
    </message>
    <message>
        <source>a file that is no run has that name</source>
        <translation>已有同名的文件，但它不是运行文件</translation>
    </message>
    <message>
        <source>a file that is whole</source>
        <translation>完整的文件</translation>
    </message>
    <message>
        <source>a file that stays where it is until the run has ended</source>
        <translation>在运行结束之前保持原位的文件</translation>
    </message>
    <message>
        <source>a folder with a manifest.json</source>
        <translation>含有 manifest.json 的文件夹</translation>
    </message>
    <message>
        <source>a frame is not where or what it should be</source>
        <translation>有一帧的位置或内容不对</translation>
    </message>
    <message>
        <source>a layout with the same model</source>
        <translation>模型相同的布局</translation>
    </message>
    <message>
        <source>a linear fall to {}</source>
        <translation>线性下降到 {}</translation>
    </message>
    <message>
        <source>a longer text, a shorter model.sequence or another data.validation</source>
        <translation>更长的文本、更小的 model.sequence，或另一个 data.validation</translation>
    </message>
    <message>
        <source>a longer text, a smaller batch.global, or data.last_batch carry or pad</source>
        <translation>更长的文本、更小的 batch.global，或 data.last_batch 取 carry 或 pad</translation>
    </message>
    <message>
        <source>a loss scale with fp32</source>
        <translation>fp32 下的损失缩放</translation>
    </message>
    <message>
        <source>a loss scale with {}</source>
        <translation>{} 下的损失缩放</translation>
    </message>
    <message>
        <source>a model that a layout can have</source>
        <translation>布局可以有的模型</translation>
    </message>
    <message>
        <source>a model with norms of queries and keys, a tied output or heads of another width than hidden ÷ heads is its qwen3, which has no pipeline</source>
        <translation>带查询和键的归一化、共享的输出或头宽不等于 hidden ÷ heads 的模型是它的 qwen3，而 qwen3 没有流水线</translation>
    </message>
    <message>
        <source>a name is empty</source>
        <translation>有名称为空</translation>
    </message>
    <message>
        <source>a newer Shardlab wrote it, as version {}</source>
        <translation>它由更新的 Shardlab 写出，版本 {}</translation>
    </message>
    <message>
        <source>a number is too large</source>
        <translation>数字过大</translation>
    </message>
    <message>
        <source>a parameter of Open MPI is given twice</source>
        <translation>Open MPI 的一个参数给出了两次</translation>
    </message>
    <message>
        <source>a part of this run is longer than a frame may be</source>
        <translation>此运行有一部分超过一帧的长度</translation>
    </message>
    <message>
        <source>a pipeline of {} ranks</source>
        <translation>{} 个 rank 的流水线</translation>
    </message>
    <message>
        <source>a pointer as in the layout file, for instance /parallel/data</source>
        <translation>布局文件中的指针，例如 /parallel/data</translation>
    </message>
    <message>
        <source>a preset is damaged</source>
        <translation>一个预设已损坏</translation>
    </message>
    <message>
        <source>a program and its arguments, such as ssh -p 2222</source>
        <translation>一个程序及其参数，例如 ssh -p 2222</translation>
    </message>
    <message>
        <source>a question that ends sooner, or a higher time limit</source>
        <translation>更快得到结果的查询，或更长的时间上限</translation>
    </message>
    <message>
        <source>a question with fewer or shorter values</source>
        <translation>值更少或更短的查询</translation>
    </message>
    <message>
        <source>a question with fewer or shorter values, or a higher memory limit</source>
        <translation>值更少或更短的查询，或更大的内存上限</translation>
    </message>
    <message>
        <source>a quote is not closed</source>
        <translation>有引号没有闭合</translation>
    </message>
    <message>
        <source>a rank may hold {} microbatches</source>
        <translation>一个 rank 可以持有 {} 个微批次</translation>
    </message>
    <message>
        <source>a recipe in Python, which torchrun starts</source>
        <translation>一份 Python 配方，由 torchrun 启动</translation>
    </message>
    <message>
        <source>a recipe of NeMo 2 in Python, which torchrun starts</source>
        <translation>一份 NeMo 2 的 Python 配方，由 torchrun 启动</translation>
    </message>
    <message>
        <source>a regular expression that ICU knows</source>
        <translation>ICU 支持的正则表达式</translation>
    </message>
    <message>
        <source>a ring of {} ranks</source>
        <translation>{} 个 rank 的环</translation>
    </message>
    <message>
        <source>a round of its interleaved schedule has as many microbatches as there are ranks, or more</source>
        <translation>它的交错调度中，一轮的微批次数不少于 rank 数</translation>
    </message>
    <message>
        <source>a run is being recorded into it</source>
        <translation>正有运行在向其中记录</translation>
    </message>
    <message>
        <source>a schedule written by hand keeps one version of the weights</source>
        <translation>手写的调度只保留一个权重版本</translation>
    </message>
    <message>
        <source>a shorter text</source>
        <translation>更短的文本</translation>
    </message>
    <message>
        <source>a shorter text, or its tokens in .bin files, which stay on the disk</source>
        <translation>更短的文本，或以 .bin 文件保存的 token，它们留在磁盘上</translation>
    </message>
    <message>
        <source>a smaller batch.global, or data.last_batch carry or pad</source>
        <translation>更小的 batch.global，或 data.last_batch 取 carry 或 pad</translation>
    </message>
    <message>
        <source>a tensor group of {} ranks without FSDP</source>
        <translation>没有 FSDP 的 {} 个 rank 的张量组</translation>
    </message>
    <message>
        <source>a text file</source>
        <translation>文本文件</translation>
    </message>
    <message>
        <source>a text with shorter lines</source>
        <translation>各行更短的文本</translation>
    </message>
    <message>
        <source>a tokenizer.json with a byte-level BPE, as transformers writes it</source>
        <translation>transformers 所写的字节级 BPE 的 tokenizer.json</translation>
    </message>
    <message>
        <source>a warm-up of {} in {} steps</source>
        <translation>{} 步的预热，共 {} 步</translation>
    </message>
    <message>
        <source>a warm-up of {} steps</source>
        <translation>{} 步的预热</translation>
    </message>
    <message>
        <source>a weight gradient alone gives the stage below nothing</source>
        <translation>只有权重梯度时，前一个阶段得不到任何数据</translation>
    </message>
    <message>
        <source>a whole file</source>
        <translation>完整的文件</translation>
    </message>
    <message>
        <source>a whole number of stages for each pipeline rank on average</source>
        <translation>每个流水线 rank 平均有整数个阶段</translation>
    </message>
    <message>
        <source>a whole safetensors file</source>
        <translation>完整的 safetensors 文件</translation>
    </message>
    <message>
        <source>a zip archive, as PyTorch saves weights</source>
        <translation>PyTorch 保存权重所用的 zip 压缩包</translation>
    </message>
    <message>
        <source>a {} loss scale</source>
        <translation>{} 损失缩放</translation>
    </message>
    <message>
        <source>actions of its stage follow</source>
        <translation>其后还有该阶段的动作</translation>
    </message>
    <message>
        <source>actions of stage {} follow</source>
        <translation>其后还有阶段 {} 的动作</translation>
    </message>
    <message>
        <source>activation_checkpoint_interval holds for all blocks</source>
        <translation>activation_checkpoint_interval 对所有块都相同</translation>
    </message>
    <message>
        <source>activation_checkpoint_interval is one number of blocks</source>
        <translation>activation_checkpoint_interval 是一个块数</translation>
    </message>
    <message>
        <source>after block {} the order is broken</source>
        <translation>数据块 {} 之后顺序错乱</translation>
    </message>
    <message>
        <source>ai_family not supported</source>
        <translation>不支持该地址族</translation>
    </message>
    <message>
        <source>all {} restarts are used</source>
        <translation>{} 次重启已全部用完</translation>
    </message>
    <message>
        <source>an Arrow file</source>
        <translation>Arrow 文件</translation>
    </message>
    <message>
        <source>an HDF5 file</source>
        <translation>HDF5 文件</translation>
    </message>
    <message>
        <source>an SQLite database</source>
        <translation>SQLite 数据库</translation>
    </message>
    <message>
        <source>an address with colons stands in brackets</source>
        <translation>带冒号的地址要放在方括号里</translation>
    </message>
    <message>
        <source>an array of NumPy</source>
        <translation>NumPy 数组</translation>
    </message>
    <message>
        <source>an index as Megatron writes it, whole</source>
        <translation>Megatron 所写的完整索引</translation>
    </message>
    <message>
        <source>an input gradient alone leaves the weights as they are</source>
        <translation>只有输入梯度时，权重保持原样</translation>
    </message>
    <message>
        <source>an order for {} pipeline ranks, {} stages and {} microbatches a rank at most; or a schedule that Shardlab makes</source>
        <translation>最多 {} 个流水线 rank、{} 个阶段、每个 rank {} 个微批次的顺序；或由 Shardlab 生成的调度</translation>
    </message>
    <message>
        <source>another checkpoint</source>
        <translation>另一个检查点</translation>
    </message>
    <message>
        <source>another checkpoint of the run</source>
        <translation>该运行的另一个检查点</translation>
    </message>
    <message>
        <source>another folder in /checkpoint/path, or wait for that run&apos;s end</source>
        <translation>在 /checkpoint/path 中指定另一个文件夹，或等那次运行结束</translation>
    </message>
    <message>
        <source>another program is writing it</source>
        <translation>另一个程序正在写它</translation>
    </message>
    <message>
        <source>another program listens there</source>
        <translation>另一个程序在那里监听</translation>
    </message>
    <message>
        <source>another run that goes on writes its own there</source>
        <translation>另一个尚未结束的运行正在那里写入检查点</translation>
    </message>
    <message>
        <source>arguments of pretrain_gpt.py, one a line in a shell script</source>
        <translation>pretrain_gpt.py 的参数，在 shell 脚本中每行一个</translation>
    </message>
    <message>
        <source>attention to a window</source>
        <translation>限于窗口的注意力</translation>
    </message>
    <message>
        <source>bare tokens of 16 bits, as nanoGPT writes them, files of llm.c, or Megatron&apos;s with their .idx</source>
        <translation>nanoGPT 所写的 16 位裸 token、llm.c 的文件，或带 .idx 的 Megatron 文件</translation>
    </message>
    <message>
        <source>bare tokens of 16 bits, or of 32 bits with llm.c&apos;s header (20240801, version 7) or Megatron&apos;s .idx</source>
        <translation>16 位裸 token，或带 llm.c 文件头（20240801，版本 7）或 Megatron 的 .idx 的 32 位 token</translation>
    </message>
    <message>
        <source>baseTimeNanoseconds comes after the events it belongs to</source>
        <translation>baseTimeNanoseconds 出现在它所适用的事件之后</translation>
    </message>
    <message>
        <source>biases</source>
        <translation>偏置</translation>
    </message>
    <message>
        <source>block {}</source>
        <translation>数据块 {}</translation>
    </message>
    <message>
        <source>block {} (rank {}, {} lane)</source>
        <translation>数据块 {}（rank {}，{}通道）</translation>
    </message>
    <message>
        <source>block {} holds other events than it says</source>
        <translation>数据块 {} 中的事件与它所述的不符</translation>
    </message>
    <message>
        <source>block {} {}</source>
        <translation>数据块 {} {}</translation>
    </message>
    <message>
        <source>build it: ninja -C build shardlab-rank</source>
        <translation>请构建它：ninja -C build shardlab-rank</translation>
    </message>
    <message>
        <source>byte {} begins no character</source>
        <translation>字节 {} 不是任何字符的开头</translation>
    </message>
    <message>
        <source>cannot ask</source>
        <translation>无法查询</translation>
    </message>
    <message>
        <source>cannot be read: {}</source>
        <translation>无法读取：{}</translation>
    </message>
    <message>
        <source>cannot be watched</source>
        <translation>无法观看</translation>
    </message>
    <message>
        <source>cannot bring the text into Unicode&apos;s form NFC</source>
        <translation>无法把文本转换为 Unicode 的 NFC 形式</translation>
    </message>
    <message>
        <source>cannot close the run file</source>
        <translation>无法关闭运行文件</translation>
    </message>
    <message>
        <source>cannot compare</source>
        <translation>无法比较</translation>
    </message>
    <message>
        <source>cannot connect</source>
        <translation>无法连接</translation>
    </message>
    <message>
        <source>cannot create the run file</source>
        <translation>无法创建运行文件</translation>
    </message>
    <message>
        <source>cannot cut text into words</source>
        <translation>无法把文本切分为词</translation>
    </message>
    <message>
        <source>cannot export the run</source>
        <translation>无法导出运行</translation>
    </message>
    <message>
        <source>cannot follow the run</source>
        <translation>无法跟随运行</translation>
    </message>
    <message>
        <source>cannot go on</source>
        <translation>无法继续</translation>
    </message>
    <message>
        <source>cannot import the trace</source>
        <translation>无法导入跟踪</translation>
    </message>
    <message>
        <source>cannot import the traces together</source>
        <translation>无法一起导入这些跟踪</translation>
    </message>
    <message>
        <source>cannot keep a note</source>
        <translation>无法保存笔记</translation>
    </message>
    <message>
        <source>cannot listen</source>
        <translation>无法监听</translation>
    </message>
    <message>
        <source>cannot listen on the socket</source>
        <translation>无法在套接字上监听</translation>
    </message>
    <message>
        <source>cannot make a folder</source>
        <translation>无法创建文件夹</translation>
    </message>
    <message>
        <source>cannot make a layout</source>
        <translation>无法生成布局</translation>
    </message>
    <message>
        <source>cannot make a temporary folder</source>
        <translation>无法创建临时文件夹</translation>
    </message>
    <message>
        <source>cannot make a token</source>
        <translation>无法生成令牌</translation>
    </message>
    <message>
        <source>cannot make the folder</source>
        <translation>无法创建文件夹</translation>
    </message>
    <message>
        <source>cannot make the host&apos;s folder</source>
        <translation>无法创建该主机的文件夹</translation>
    </message>
    <message>
        <source>cannot make the job&apos;s folder</source>
        <translation>无法创建作业的文件夹</translation>
    </message>
    <message>
        <source>cannot make the table</source>
        <translation>无法创建该表</translation>
    </message>
    <message>
        <source>cannot measure the layout</source>
        <translation>无法测量布局</translation>
    </message>
    <message>
        <source>cannot open the file</source>
        <translation>无法打开文件</translation>
    </message>
    <message>
        <source>cannot open the folder</source>
        <translation>无法打开文件夹</translation>
    </message>
    <message>
        <source>cannot open the run</source>
        <translation>无法打开运行</translation>
    </message>
    <message>
        <source>cannot open the run file</source>
        <translation>无法打开运行文件</translation>
    </message>
    <message>
        <source>cannot prepare TLS</source>
        <translation>无法准备 TLS</translation>
    </message>
    <message>
        <source>cannot profile hosts without this one</source>
        <translation>没有本机就无法剖析各主机</translation>
    </message>
    <message>
        <source>cannot read JSON Lines</source>
        <translation>无法读取 JSON Lines</translation>
    </message>
    <message>
        <source>cannot read a list of Slurm</source>
        <translation>无法读取 Slurm 的列表</translation>
    </message>
    <message>
        <source>cannot read an index of tokens</source>
        <translation>无法读取 token 的索引</translation>
    </message>
    <message>
        <source>cannot read the checkpoint</source>
        <translation>无法读取检查点</translation>
    </message>
    <message>
        <source>cannot read the file</source>
        <translation>无法读取文件</translation>
    </message>
    <message>
        <source>cannot read the index of these tokens</source>
        <translation>无法读取这些 token 的索引</translation>
    </message>
    <message>
        <source>cannot read the pages</source>
        <translation>无法读取手册各页</translation>
    </message>
    <message>
        <source>cannot read the run</source>
        <translation>无法读取运行</translation>
    </message>
    <message>
        <source>cannot read the run file</source>
        <translation>无法读取运行文件</translation>
    </message>
    <message>
        <source>cannot read the run file again</source>
        <translation>无法再次读取运行文件</translation>
    </message>
    <message>
        <source>cannot read the text</source>
        <translation>无法读取文本</translation>
    </message>
    <message>
        <source>cannot read the token</source>
        <translation>无法读取令牌</translation>
    </message>
    <message>
        <source>cannot read the tokenizer</source>
        <translation>无法读取分词器</translation>
    </message>
    <message>
        <source>cannot read the trace</source>
        <translation>无法读取跟踪</translation>
    </message>
    <message>
        <source>cannot read tokens</source>
        <translation>无法读取 token</translation>
    </message>
    <message>
        <source>cannot read weights</source>
        <translation>无法读取权重</translation>
    </message>
    <message>
        <source>cannot read what the weights&apos; model is</source>
        <translation>无法得知这些权重属于何种模型</translation>
    </message>
    <message>
        <source>cannot recover a spool</source>
        <translation>无法恢复暂存记录</translation>
    </message>
    <message>
        <source>cannot remove the file</source>
        <translation>无法删除文件</translation>
    </message>
    <message>
        <source>cannot remove the folder</source>
        <translation>无法删除文件夹</translation>
    </message>
    <message>
        <source>cannot replace the file</source>
        <translation>无法替换文件</translation>
    </message>
    <message>
        <source>cannot report on the dumps together</source>
        <translation>无法一起报告这些转储</translation>
    </message>
    <message>
        <source>cannot seal the run</source>
        <translation>无法封存运行</translation>
    </message>
    <message>
        <source>cannot set a field</source>
        <translation>无法设置字段</translation>
    </message>
    <message>
        <source>cannot shorten the file</source>
        <translation>无法缩短文件</translation>
    </message>
    <message>
        <source>cannot start</source>
        <translation>无法启动</translation>
    </message>
    <message>
        <source>cannot use the run file</source>
        <translation>无法使用运行文件</translation>
    </message>
    <message>
        <source>cannot use the socket</source>
        <translation>无法使用套接字</translation>
    </message>
    <message>
        <source>cannot use the software stack</source>
        <translation>无法使用该软件栈</translation>
    </message>
    <message>
        <source>cannot use the {}</source>
        <translation>无法使用该{}</translation>
    </message>
    <message>
        <source>cannot write Llama weights</source>
        <translation>无法写出 Llama 权重</translation>
    </message>
    <message>
        <source>cannot write the file</source>
        <translation>无法写入文件</translation>
    </message>
    <message>
        <source>cannot write the folder</source>
        <translation>无法写入文件夹</translation>
    </message>
    <message>
        <source>cannot write the run file</source>
        <translation>无法写入运行文件</translation>
    </message>
    <message>
        <source>cannot write the token</source>
        <translation>无法写入令牌</translation>
    </message>
    <message>
        <source>chunks {}</source>
        <translation>模型块数 {}</translation>
    </message>
    <message>
        <source>clipping needs the norm</source>
        <translation>裁剪需要范数</translation>
    </message>
    <message>
        <source>compressed by Zstandard</source>
        <translation>Zstandard 压缩的数据</translation>
    </message>
    <message>
        <source>compressed by gzip</source>
        <translation>gzip 压缩的数据</translation>
    </message>
    <message>
        <source>compute; or precision.compute bf16</source>
        <translation>compute；或 precision.compute bf16</translation>
    </message>
    <message>
        <source>copies sum the parts that it leaves</source>
        <translation>各拷贝对它留下的部分求和</translation>
    </message>
    <message>
        <source>damaged run file</source>
        <translation>运行文件已损坏</translation>
    </message>
    <message>
        <source>damaged spool</source>
        <translation>暂存记录已损坏</translation>
    </message>
    <message>
        <source>data.documents is apart, and no .idx beside the file says where they begin</source>
        <translation>data.documents 为 apart，而文件旁没有 .idx 说明各文档从何处开始</translation>
    </message>
    <message>
        <source>deadlock, every send and receive waiting for its other end</source>
        <translation>死锁，每个发送和接收都等待对端</translation>
    </message>
    <message>
        <source>deadlock, neighbouring sends and receives posted together</source>
        <translation>死锁，相邻的发送和接收一起发出</translation>
    </message>
    <message>
        <source>deadlock: pipeline rank {} waits at {} for stage {} on pipeline rank {}, which waits at {}</source>
        <translation>死锁：流水线 rank {} 停在 {}，等待流水线 rank {3} 上的阶段 {2}，而后者停在 {4}</translation>
    </message>
    <message>
        <source>delayed scales</source>
        <translation>延迟缩放</translation>
    </message>
    <message>
        <source>document index {} is {}</source>
        <translation>第 {} 个文档索引是 {}</translation>
    </message>
    <message>
        <source>dropout</source>
        <translation>dropout</translation>
    </message>
    <message>
        <source>dynamic; or static with precision.scale 1</source>
        <translation>dynamic；或 static 且 precision.scale 1</translation>
    </message>
    <message>
        <source>each key once</source>
        <translation>每个键一次</translation>
    </message>
    <message>
        <source>each name once</source>
        <translation>每个名称一次</translation>
    </message>
    <message>
        <source>each rank holds its tokens, and they have more than {}</source>
        <translation>每个 rank 都保存它的全部 token，而这些 token 超过 {}</translation>
    </message>
    <message>
        <source>each second number of 16 bits is 0 or 1: these are tokens of 32 bits, and no header says so</source>
        <translation>每隔一个 16 位数就是 0 或 1：这些是 32 位 token，却没有文件头说明</translation>
    </message>
    <message>
        <source>every forward has a backward</source>
        <translation>每个前向都有一个反向</translation>
    </message>
    <message>
        <source>every stage forwards every microbatch</source>
        <translation>每个阶段对每个微批次都做前向</translation>
    </message>
    <message>
        <source>every with memory.recompute_every {}</source>
        <translation>every，且 memory.recompute_every {}</translation>
    </message>
    <message>
        <source>experts over {} ranks in fp16</source>
        <translation>fp16 下分布于 {} 个 rank 的专家</translation>
    </message>
    <message>
        <source>fails its checksum</source>
        <translation>校验和不符</translation>
    </message>
    <message>
        <source>false; or memory.recompute_blocks 0</source>
        <translation>false；或 memory.recompute_blocks 0</translation>
    </message>
    <message>
        <source>false; or model.norm rms</source>
        <translation>false；或 model.norm rms</translation>
    </message>
    <message>
        <source>feed-forward widths that differ between layers</source>
        <translation>各层不同的前馈宽度</translation>
    </message>
    <message>
        <source>fewer files, or a longer model.sequence</source>
        <translation>更少的文件，或更大的 model.sequence</translation>
    </message>
    <message>
        <source>files of llm.c that begin with 20240520 or 20240801, or bare tokens of 16 bits</source>
        <translation>以 20240520 或 20240801 开头的 llm.c 文件，或 16 位裸 token</translation>
    </message>
    <message>
        <source>fp16 without a loss scale</source>
        <translation>没有损失缩放的 fp16</translation>
    </message>
    <message>
        <source>fp32; or parallel.zero 2 or 3</source>
        <translation>fp32；或 parallel.zero 2 或 3</translation>
    </message>
    <message>
        <source>gelu-tanh without biases</source>
        <translation>没有偏置的 gelu-tanh</translation>
    </message>
    <message>
        <source>gelu; or model.biases all</source>
        <translation>gelu；或 model.biases all</translation>
    </message>
    <message>
        <source>gradients came after the last</source>
        <translation>最后一次更新之后又有梯度</translation>
    </message>
    <message>
        <source>gradients in bf16</source>
        <translation>bf16 梯度</translation>
    </message>
    <message>
        <source>gradients in fp32 with FSDP</source>
        <translation>与 FSDP 同用的 fp32 梯度</translation>
    </message>
    <message>
        <source>has a row whose key is damaged</source>
        <translation>有一行的键已损坏</translation>
    </message>
    <message>
        <source>has a seal that fails its checksum</source>
        <translation>其封存标记的校验和不符</translation>
    </message>
    <message>
        <source>has a shape beyond counting</source>
        <translation>其形状大得无法计数</translation>
    </message>
    <message>
        <source>has a shape that is no list of whole numbers</source>
        <translation>其形状不是整数列表</translation>
    </message>
    <message>
        <source>has a {} that is no text</source>
        <translation>其 {} 不是文本</translation>
    </message>
    <message>
        <source>has an unknown dtype</source>
        <translation>其 dtype 未知</translation>
    </message>
    <message>
        <source>has data_offsets that are no two whole numbers</source>
        <translation>其 data_offsets 不是两个整数</translation>
    </message>
    <message>
        <source>has data_offsets that do not fit its shape</source>
        <translation>其 data_offsets 与形状不符</translation>
    </message>
    <message>
        <source>has no seal</source>
        <translation>没有封存标记</translation>
    </message>
    <message>
        <source>has no shape</source>
        <translation>没有形状</translation>
    </message>
    <message>
        <source>has no {}</source>
        <translation>没有 {}</translation>
    </message>
    <message>
        <source>has other rows than were written</source>
        <translation>其中的行与写入的不同</translation>
    </message>
    <message>
        <source>has rows that are out of order</source>
        <translation>其中的行顺序错乱</translation>
    </message>
    <message>
        <source>has rows that cannot be found by their key</source>
        <translation>有些行无法按键找到</translation>
    </message>
    <message>
        <source>has {} rows where {} were written</source>
        <translation>有 {} 行，而写入的是 {} 行</translation>
    </message>
    <message>
        <source>heads with sinks</source>
        <translation>带汇聚项的注意力头</translation>
    </message>
    <message>
        <source>holds other events than it says</source>
        <translation>其中的事件与它所述的不符</translation>
    </message>
    <message>
        <source>host {}</source>
        <translation>主机 {}</translation>
    </message>
    <message>
        <source>if you know it: run or doctor with --agent {}, and with --remember-agent to allow it for good</source>
        <translation>若您认识它：用 --agent {} 执行 run 或 doctor，加上 --remember-agent 则永久允许</translation>
    </message>
    <message>
        <source>in 16 bits it keeps weights for the layers and master weights for the optimizer</source>
        <translation>在 16 位下，它为各层保存权重，为优化器保存主权重</translation>
    </message>
    <message>
        <source>in brackets stand numbers and ranges of them, ascending</source>
        <translation>括号里是升序的数字及其范围</translation>
    </message>
    <message>
        <source>indices from 0 to the number of sequences</source>
        <translation>从 0 到序列数的索引</translation>
    </message>
    <message>
        <source>indices from 0 to the number of sequences, none below the one before</source>
        <translation>从 0 到序列数的索引，且后一个不小于前一个</translation>
    </message>
    <message>
        <source>initial_scale_power is a whole power of 2</source>
        <translation>initial_scale_power 是 2 的整数次幂</translation>
    </message>
    <message>
        <source>install it: apt-get install openmpi-bin</source>
        <translation>请安装：apt-get install openmpi-bin</translation>
    </message>
    <message>
        <source>interleaved-1f1b on one pipeline rank</source>
        <translation>单个流水线 rank 上的 interleaved-1f1b</translation>
    </message>
    <message>
        <source>is longer than {} bytes</source>
        <translation>超过 {} 个字节</translation>
    </message>
    <message>
        <source>is no JSON</source>
        <translation>不是 JSON</translation>
    </message>
    <message>
        <source>is no JSON object</source>
        <translation>不是 JSON 对象</translation>
    </message>
    <message>
        <source>is not described by dtype, shape and data_offsets</source>
        <translation>没有用 dtype、shape 和 data_offsets 描述</translation>
    </message>
    <message>
        <source>is not in its place</source>
        <translation>不在它的位置上</translation>
    </message>
    <message>
        <source>it adds the decay to the gradient, so that the momentum repeats it</source>
        <translation>它把衰减加到梯度上，动量于是会重复这一项</translation>
    </message>
    <message>
        <source>it begins with {}, which is no file of tokens of llm.c&apos;s that is known</source>
        <translation>它以 {} 开头，不是任何已知的 llm.c token 文件</translation>
    </message>
    <message>
        <source>it belongs to another user, of number {}</source>
        <translation>它属于另一个用户，编号 {}</translation>
    </message>
    <message>
        <source>it cannot be copied to a temporary folder: {}</source>
        <translation>无法把它复制到临时文件夹：{}</translation>
    </message>
    <message>
        <source>it cannot be removed, and would be asked for ever: {}</source>
        <translation>无法删除它，于是会一再要求下去：{}</translation>
    </message>
    <message>
        <source>it comes back to where it still is</source>
        <translation>它要回到它仍在的地方</translation>
    </message>
    <message>
        <source>it comes before {}: {}</source>
        <translation>它排在 {} 之前：{}</translation>
    </message>
    <message>
        <source>it computes all blocks again</source>
        <translation>它对所有块都重新计算</translation>
    </message>
    <message>
        <source>it computes each k-th block again, and operations in every block</source>
        <translation>它每第 k 块重新计算，或在每一块中重算操作</translation>
    </message>
    <message>
        <source>it computes whole blocks again</source>
        <translation>它重新计算整块</translation>
    </message>
    <message>
        <source>it computes whole blocks again, every block or each k-th, or single operations</source>
        <translation>它重新计算整块（每一块或每第 k 块）或单个操作</translation>
    </message>
    <message>
        <source>it counts {} sequences and {} document indices, and has {} bytes</source>
        <translation>它记有 {} 个序列和 {} 个文档索引，却有 {} 个字节</translation>
    </message>
    <message>
        <source>it divides a model over replicas, tensor ranks and context ranks</source>
        <translation>它把模型分布到副本、张量 rank 和上下文 rank 上</translation>
    </message>
    <message>
        <source>it divides saved activations with {} uniform alone</source>
        <translation>它只在 {} 为 uniform 时切分保存的激活值</translation>
    </message>
    <message>
        <source>it divides the layers of whole models only (tensor_parallel.autotp_size)</source>
        <translation>它只切分完整模型的各层（tensor_parallel.autotp_size）</translation>
    </message>
    <message>
        <source>it does not begin as one</source>
        <translation>开头不符</translation>
    </message>
    <message>
        <source>it does not begin as one of Megatron&apos;s</source>
        <translation>开头与 Megatron 的不符</translation>
    </message>
    <message>
        <source>it does not begin with a stage, 0 to 65535</source>
        <translation>它不以阶段 0 到 65535 开头</translation>
    </message>
    <message>
        <source>it does not spread experts in fp16</source>
        <translation>它不在 fp16 下分布专家</translation>
    </message>
    <message>
        <source>it ends within its header</source>
        <translation>它在文件头之内就结束了</translation>
    </message>
    <message>
        <source>it exchanges tokens for heads (sequence_parallel_size)</source>
        <translation>它以 token 换取注意力头（sequence_parallel_size）</translation>
    </message>
    <message>
        <source>it has 1 stage, pipeline × chunks is {}</source>
        <translation>它有 1 个阶段，而流水线 × 模型块数为 {}</translation>
    </message>
    <message>
        <source>it has Adam and AdamW</source>
        <translation>它有 Adam 和 AdamW</translation>
    </message>
    <message>
        <source>it has a control character or a line&apos;s end in it</source>
        <translation>其中有控制字符或换行</translation>
    </message>
    <message>
        <source>it has a second name</source>
        <translation>它有第二个名称</translation>
    </message>
    <message>
        <source>it has an odd number of bytes</source>
        <translation>它的字节数是奇数</translation>
    </message>
    <message>
        <source>it has another form</source>
        <translation>它的形式不同</translation>
    </message>
    <message>
        <source>it has more than 512 KiB</source>
        <translation>它超过 512 KiB</translation>
    </message>
    <message>
        <source>it has more than {}</source>
        <translation>它超过 {}</translation>
    </message>
    <message>
        <source>it has more than {} bytes</source>
        <translation>它超过 {} 个字节</translation>
    </message>
    <message>
        <source>it has no address</source>
        <translation>它没有地址</translation>
    </message>
    <message>
        <source>it has none</source>
        <translation>它没有</translation>
    </message>
    <message>
        <source>it has not left the device yet</source>
        <translation>它还没有离开设备</translation>
    </message>
    <message>
        <source>it has only blank lines and comments</source>
        <translation>其中只有空行和注释</translation>
    </message>
    <message>
        <source>it has yarn with latent attention alone; {} is that of Llama 3</source>
        <translation>它只在潜在注意力下有 yarn；{} 是 Llama 3 的方式</translation>
    </message>
    <message>
        <source>it has {} bytes instead of {}</source>
        <translation>它有 {} 个字节，应为 {} 个</translation>
    </message>
    <message>
        <source>it has {} characters or others than hexadecimal digits</source>
        <translation>它有 {} 个字符，或含有十六进制数字以外的字符</translation>
    </message>
    <message>
        <source>it has {} processes</source>
        <translation>它有 {} 个进程</translation>
    </message>
    <message>
        <source>it has {} stages, pipeline × chunks is {}</source>
        <translation>它有 {} 个阶段，而流水线 × 模型块数为 {}</translation>
    </message>
    <message>
        <source>it has {}, the pipeline has {}</source>
        <translation>它有 {}，而流水线有 {}</translation>
    </message>
    <message>
        <source>it holds counts, each with how many nodes have it</source>
        <translation>其中是计数，每个计数带有相应的节点数</translation>
    </message>
    <message>
        <source>it interleaves the stages of several ranks</source>
        <translation>它交错的是多个 rank 的阶段</translation>
    </message>
    <message>
        <source>it is JSON, but has no list traceEvents</source>
        <translation>它是 JSON，但没有列表 traceEvents</translation>
    </message>
    <message>
        <source>it is JSON, but has no list traceEvents at its beginning</source>
        <translation>它是 JSON，但开头没有列表 traceEvents</translation>
    </message>
    <message>
        <source>it is a JSON {}</source>
        <translation>它是一个 JSON {}</translation>
    </message>
    <message>
        <source>it is a folder</source>
        <translation>它是文件夹</translation>
    </message>
    <message>
        <source>it is a list in JSON, but none of events</source>
        <translation>它是 JSON 列表，但不是事件的列表</translation>
    </message>
    <message>
        <source>it is a pipe into which nobody writes</source>
        <translation>它是没有人写入的管道</translation>
    </message>
    <message>
        <source>it is a run of Shardlab already</source>
        <translation>它已经是 Shardlab 的运行文件</translation>
    </message>
    <message>
        <source>it is a symbolic link</source>
        <translation>它是符号链接</translation>
    </message>
    <message>
        <source>it is a view, or some of it is computed, where Nsight Systems stores rows</source>
        <translation>它是视图，或其中有计算得出的内容，而 Nsight Systems 在那里存放的是行</translation>
    </message>
    <message>
        <source>it is a {}, the one before a {}</source>
        <translation>它是 {}，而前一个是 {}</translation>
    </message>
    <message>
        <source>it is an SQLite database without the tables of Nsight Systems, or they are empty</source>
        <translation>它是没有 Nsight Systems 各表的 SQLite 数据库，或这些表是空的</translation>
    </message>
    <message>
        <source>it is an SQLite database, but no run</source>
        <translation>它是 SQLite 数据库，但不是运行文件</translation>
    </message>
    <message>
        <source>it is cut short</source>
        <translation>它不完整</translation>
    </message>
    <message>
        <source>it is empty</source>
        <translation>它是空的</translation>
    </message>
    <message>
        <source>it is handed to the agent</source>
        <translation>它会交给启动代理</translation>
    </message>
    <message>
        <source>it is missing: {}</source>
        <translation>它缺失：{}</translation>
    </message>
    <message>
        <source>it is more than one statement</source>
        <translation>它不止一条语句</translation>
    </message>
    <message>
        <source>it is no JSON object</source>
        <translation>它不是 JSON 对象</translation>
    </message>
    <message>
        <source>it is no JSON object of tokens</source>
        <translation>它不是由 token 组成的 JSON 对象</translation>
    </message>
    <message>
        <source>it is no SQLite database</source>
        <translation>它不是 SQLite 数据库</translation>
    </message>
    <message>
        <source>it is no TOML</source>
        <translation>它不是 TOML</translation>
    </message>
    <message>
        <source>it is no action</source>
        <translation>它不是动作</translation>
    </message>
    <message>
        <source>it is no assignment</source>
        <translation>它不是赋值</translation>
    </message>
    <message>
        <source>it is no regular file</source>
        <translation>它不是普通文件</translation>
    </message>
    <message>
        <source>it is no request</source>
        <translation>它不是请求</translation>
    </message>
    <message>
        <source>it is no valid JSON: {}</source>
        <translation>它不是有效的 JSON：{}</translation>
    </message>
    <message>
        <source>it is not set</source>
        <translation>没有设置它</translation>
    </message>
    <message>
        <source>it is not what this version writes, though its checksum fits</source>
        <translation>它的校验和相符，却不是此版本所写的内容</translation>
    </message>
    <message>
        <source>it is one process more than the {} that a run can have as ranks</source>
        <translation>这比一次运行可以有的 {} 个 rank 多一个进程</translation>
    </message>
    <message>
        <source>it is shorter than it was</source>
        <translation>它比原来短了</translation>
    </message>
    <message>
        <source>it is truncated or damaged</source>
        <translation>它被截断或已损坏</translation>
    </message>
    <message>
        <source>it is truncated: only {} bytes are left</source>
        <translation>它被截断：只剩 {} 个字节</translation>
    </message>
    <message>
        <source>it is what mpirun starts for each rank</source>
        <translation>mpirun 为每个 rank 启动的就是它</translation>
    </message>
    <message>
        <source>it is {}</source>
        <translation>它是{}</translation>
    </message>
    <message>
        <source>it keeps no weight versions of single microbatches</source>
        <translation>它不为单个微批次保留权重版本</translation>
    </message>
    <message>
        <source>it may not be read</source>
        <translation>没有读取它的权限</translation>
    </message>
    <message>
        <source>it names more than {} hosts</source>
        <translation>它列出的主机超过 {} 台</translation>
    </message>
    <message>
        <source>it names no weight version, and its stage has several</source>
        <translation>它没有写明权重版本，而它的阶段有多个版本</translation>
    </message>
    <message>
        <source>it names {} stages and {} microbatches</source>
        <translation>其中有 {} 个阶段和 {} 个微批次</translation>
    </message>
    <message>
        <source>it needs what is on the host</source>
        <translation>它需要主机上的数据</translation>
    </message>
    <message>
        <source>it reduces them in fp32</source>
        <translation>它以 fp32 归约梯度</translation>
    </message>
    <message>
        <source>it removes the older one only after the newer is whole, and keeps two at least</source>
        <translation>新的检查点写完整后它才删除旧的，因此至少保留两个</translation>
    </message>
    <message>
        <source>it runs beside it</source>
        <translation>它与那个动作同时进行</translation>
    </message>
    <message>
        <source>it says nothing</source>
        <translation>其中没有内容</translation>
    </message>
    <message>
        <source>it says that it is rank {}, and so does {}</source>
        <translation>它称自己是 rank {}，而 {} 也这样称</translation>
    </message>
    <message>
        <source>it scales the loss of 16-bit training alone</source>
        <translation>它只对 16 位训练缩放损失</translation>
    </message>
    <message>
        <source>it scales the loss of fp16 always</source>
        <translation>它总是缩放 fp16 的损失</translation>
    </message>
    <message>
        <source>it scales the loss of fp16 dynamically, and no other</source>
        <translation>它动态缩放 fp16 的损失，不缩放其他格式的损失</translation>
    </message>
    <message>
        <source>it stands twice, first as action {}</source>
        <translation>它出现两次，第一次是第 {} 个动作</translation>
    </message>
    <message>
        <source>it takes longer than {}, its limit</source>
        <translation>查询时间超过上限 {}</translation>
    </message>
    <message>
        <source>it takes more than {} of memory, its limit</source>
        <translation>查询所用内存超过上限 {}</translation>
    </message>
    <message>
        <source>it takes one microbatch after the other</source>
        <translation>它逐个处理微批次</translation>
    </message>
    <message>
        <source>it takes what that gives</source>
        <translation>它取用那个动作的结果</translation>
    </message>
    <message>
        <source>it tells of rank {}, and a run numbers its ranks from 0 to {}</source>
        <translation>其中有 rank {}，而运行的 rank 从 0 编号到 {}</translation>
    </message>
    <message>
        <source>it trains in bf16 and fp32, without a loss scale</source>
        <translation>它以 bf16 和 fp32 训练，没有损失缩放</translation>
    </message>
    <message>
        <source>it trains transformers</source>
        <translation>它训练 transformer</translation>
    </message>
    <message>
        <source>it was given up</source>
        <translation>已放弃</translation>
    </message>
    <message>
        <source>it was recorded by a newer Shardlab, in format {}</source>
        <translation>它由更新的 Shardlab 记录，格式为 {}</translation>
    </message>
    <message>
        <source>it was removed or replaced while it was recorded</source>
        <translation>它在记录过程中被删除或替换</translation>
    </message>
    <message>
        <source>it would do more than read the run</source>
        <translation>它要做的不只是读取运行</translation>
    </message>
    <message>
        <source>its all-to-all ({} a2a) divides the heads of keys over tensor × context ranks</source>
        <translation>它的 all-to-all（{} a2a）把键的头分布到张量 × 上下文 rank 上</translation>
    </message>
    <message>
        <source>its backward needs what is on the host</source>
        <translation>它的反向需要主机上的数据</translation>
    </message>
    <message>
        <source>its blocks</source>
        <translation>它的数据块</translation>
    </message>
    <message>
        <source>its blocks cannot be read</source>
        <translation>它的数据块无法读取</translation>
    </message>
    <message>
        <source>its certificate and key</source>
        <translation>它的证书和密钥</translation>
    </message>
    <message>
        <source>its checksum does not fit its text</source>
        <translation>它的校验和与文本不符</translation>
    </message>
    <message>
        <source>its content is of no program that is known</source>
        <translation>它的内容不属于任何已知的程序</translation>
    </message>
    <message>
        <source>its context ranks go with FSDP2 alone</source>
        <translation>它的上下文 rank 只与 FSDP2 同用</translation>
    </message>
    <message>
        <source>its dynamic scale belongs to fp16</source>
        <translation>它的动态损失缩放属于 fp16</translation>
    </message>
    <message>
        <source>its end</source>
        <translation>它的结尾</translation>
    </message>
    <message>
        <source>its experts have no dropout within</source>
        <translation>它的专家内部没有 dropout</translation>
    </message>
    <message>
        <source>its expression {} is not known to ICU ({})</source>
        <translation>ICU 不支持它的表达式 {}（{}）</translation>
    </message>
    <message>
        <source>its fill, its forwards ahead and its weight versions are not those of its ranks and stages</source>
        <translation>它的填充、提前的前向和权重版本与它的 rank 和阶段不对应</translation>
    </message>
    <message>
        <source>its first line is empty</source>
        <translation>第一行是空的</translation>
    </message>
    <message>
        <source>its format is none that is known</source>
        <translation>它的格式未知</translation>
    </message>
    <message>
        <source>its format is {}, this version reads {}</source>
        <translation>它的格式是 {}，此版本可读 {}</translation>
    </message>
    <message>
        <source>its format {} cannot be read: {}</source>
        <translation>它的格式 {} 无法读取：{}</translation>
    </message>
    <message>
        <source>its forward has left nothing yet</source>
        <translation>它的前向还没有留下数据</translation>
    </message>
    <message>
        <source>its gzip data is damaged or cut off: {}</source>
        <translation>它的 gzip 数据已损坏或不完整：{}</translation>
    </message>
    <message>
        <source>its gzip data unpacks to more than {}</source>
        <translation>它的 gzip 数据解压后超过 {}</translation>
    </message>
    <message>
        <source>its header</source>
        <translation>它的文件头</translation>
    </message>
    <message>
        <source>its header counts {} tokens and {} follow</source>
        <translation>它的文件头记有 {} 个 token，其后却有 {} 个</translation>
    </message>
    <message>
        <source>its header does not fit its checksum</source>
        <translation>它的文件头与校验和不符</translation>
    </message>
    <message>
        <source>its header fails its checksum</source>
        <translation>它的文件头校验和不符</translation>
    </message>
    <message>
        <source>its header is cut short or too long</source>
        <translation>它的文件头不完整或过长</translation>
    </message>
    <message>
        <source>its header is missing</source>
        <translation>它缺少文件头</translation>
    </message>
    <message>
        <source>its header is missing: the file is truncated or damaged</source>
        <translation>它缺少文件头：文件被截断或已损坏</translation>
    </message>
    <message>
        <source>its header is no JSON object</source>
        <translation>它的文件头不是 JSON 对象</translation>
    </message>
    <message>
        <source>its header is no JSON: {}</source>
        <translation>它的文件头不是 JSON：{}</translation>
    </message>
    <message>
        <source>its header names {} twice</source>
        <translation>它的文件头两次写有 {}</translation>
    </message>
    <message>
        <source>its header&apos;s version is {}</source>
        <translation>它的文件头版本是 {}</translation>
    </message>
    <message>
        <source>its host has not told of it yet</source>
        <translation>它的主机还没有报告它</translation>
    </message>
    <message>
        <source>its host is empty</source>
        <translation>主机为空</translation>
    </message>
    <message>
        <source>its input has not been received</source>
        <translation>它的输入还没有接收</translation>
    </message>
    <message>
        <source>its kind is unknown</source>
        <translation>它的种类未知</translation>
    </message>
    <message>
        <source>its kind needs a microbatch, 0 to 16777214</source>
        <translation>这一种类需要微批次，0 到 16777214</translation>
    </message>
    <message>
        <source>its kind needs a weight version</source>
        <translation>这一种类需要权重版本</translation>
    </message>
    <message>
        <source>its last document index is not the number of its sequences</source>
        <translation>它的最后一个文档索引不等于它的序列数</translation>
    </message>
    <message>
        <source>its layout allows {} to {}</source>
        <translation>它的布局允许 {} 到 {}</translation>
    </message>
    <message>
        <source>its layout has more ranks, stages or layers than a run can have</source>
        <translation>它的布局的 rank、阶段或层超过一次运行可以有的数量</translation>
    </message>
    <message>
        <source>its layout has no /run/min_data: the number of replicas is fixed</source>
        <translation>它的布局没有 /run/min_data：副本数是固定的</translation>
    </message>
    <message>
        <source>its list of ranks</source>
        <translation>它的 rank 列表</translation>
    </message>
    <message>
        <source>its list of ranks cannot be read</source>
        <translation>它的 rank 列表无法读取</translation>
    </message>
    <message>
        <source>its list of tables</source>
        <translation>它的表的列表</translation>
    </message>
    <message>
        <source>its list of tables cannot be read: the file is truncated or damaged</source>
        <translation>它的表的列表无法读取：文件被截断或已损坏</translation>
    </message>
    <message>
        <source>its lists and objects lie more than {} deep within one another</source>
        <translation>它的列表和对象相互嵌套超过 {} 层</translation>
    </message>
    <message>
        <source>its lock cannot be taken</source>
        <translation>无法取得它的锁</translation>
    </message>
    <message>
        <source>its log</source>
        <translation>它的日志</translation>
    </message>
    <message>
        <source>its loss scale belongs to fp16 with master weights</source>
        <translation>它的损失缩放属于带主权重的 fp16</translation>
    </message>
    <message>
        <source>its manifest names {} shards, and no weight in them</source>
        <translation>它的清单列出 {} 个分片，其中没有权重</translation>
    </message>
    <message>
        <source>its metadata holds something else than text</source>
        <translation>它的元数据中有非文本的内容</translation>
    </message>
    <message>
        <source>its metadata is no JSON object</source>
        <translation>它的元数据不是 JSON 对象</translation>
    </message>
    <message>
        <source>its mixed_precision reduces in 16 bits</source>
        <translation>它的 mixed_precision 以 16 位归约</translation>
    </message>
    <message>
        <source>its model has sizes that no llama has</source>
        <translation>它的模型有任何 llama 都没有的尺寸</translation>
    </message>
    <message>
        <source>its models have none</source>
        <translation>它的模型没有</translation>
    </message>
    <message>
        <source>its models have one width</source>
        <translation>它的模型只有一个宽度</translation>
    </message>
    <message>
        <source>its notes</source>
        <translation>它的笔记</translation>
    </message>
    <message>
        <source>its numbers are {}, which are no tokens</source>
        <translation>它的数是 {}，不是 token</translation>
    </message>
    <message>
        <source>its optimizers update fp32 weights</source>
        <translation>它的优化器更新 fp32 权重</translation>
    </message>
    <message>
        <source>its path has {} bytes</source>
        <translation>它的路径有 {} 个字节</translation>
    </message>
    <message>
        <source>its pipelines accumulate whole gradients</source>
        <translation>它的流水线累积完整的梯度</translation>
    </message>
    <message>
        <source>its pipelines end every step with a flush</source>
        <translation>它的流水线在每一步结束时排空</translation>
    </message>
    <message>
        <source>its pipelines run 1F1B with a flush</source>
        <translation>它的流水线采用带排空的 1F1B</translation>
    </message>
    <message>
        <source>its pipelines run 1F1B with a flush, or interleaved 1F1B</source>
        <translation>它的流水线采用带排空的 1F1B，或交错 1F1B</translation>
    </message>
    <message>
        <source>its port is no number from 0 to 65535</source>
        <translation>端口不是 0 到 65535 的数</translation>
    </message>
    <message>
        <source>its pre_tokenizer does not turn bytes into characters (ByteLevel)</source>
        <translation>它的 pre_tokenizer 不把字节转换为字符（ByteLevel）</translation>
    </message>
    <message>
        <source>its products have 8 bits or 16</source>
        <translation>它的矩阵乘法是 8 位或 16 位</translation>
    </message>
    <message>
        <source>its products of 8 bits belong to 16-bit training</source>
        <translation>它的 8 位矩阵乘法属于 16 位训练</translation>
    </message>
    <message>
        <source>its router takes a token&apos;s highest scores, without noise, draws or groups that add up</source>
        <translation>它的路由取每个 token 的最高得分，没有噪声、抽样，也没有得分相加的组</translation>
    </message>
    <message>
        <source>its rows name texts that the file holds more than once</source>
        <translation>它的行所指的文本在文件中不止一次</translation>
    </message>
    <message>
        <source>its scales are those of a tensor, a row or 32 numbers</source>
        <translation>它的缩放因子按张量、行或每 32 个数给出</translation>
    </message>
    <message>
        <source>its scales come from present values</source>
        <translation>它的缩放因子由当前数值得出</translation>
    </message>
    <message>
        <source>its seeds are positive numbers of 31 bits</source>
        <translation>它的随机种子是 31 位正数</translation>
    </message>
    <message>
        <source>its state</source>
        <translation>它的状态</translation>
    </message>
    <message>
        <source>its table of names</source>
        <translation>它的名称表</translation>
    </message>
    <message>
        <source>its table of names cannot be read</source>
        <translation>它的名称表无法读取</translation>
    </message>
    <message>
        <source>its table {} {}</source>
        <translation>它的表 {} {}</translation>
    </message>
    <message>
        <source>its tensor parallelism goes with ZeRO 0 to 2</source>
        <translation>它的张量并行与 ZeRO 0 到 2 同用</translation>
    </message>
    <message>
        <source>its tensor ranks go with FSDP2 alone</source>
        <translation>它的张量 rank 只与 FSDP2 同用</translation>
    </message>
    <message>
        <source>its tensor ranks hold all tokens between the blocks</source>
        <translation>它的张量 rank 在块与块之间持有全部 token</translation>
    </message>
    <message>
        <source>its tensor ranks split the tokens between their blocks always</source>
        <translation>它的张量 rank 在块与块之间总是切分 token</translation>
    </message>
    <message>
        <source>its tensors take {} and {} follow the header</source>
        <translation>它的张量占 {}，而文件头之后有 {}</translation>
    </message>
    <message>
        <source>its tokens go up to {}, model.vocabulary is {}</source>
        <translation>它的 token 最大到 {}，而 model.vocabulary 是 {}</translation>
    </message>
    <message>
        <source>its version is no number from 0 to 65534</source>
        <translation>它的版本不是 0 到 65534 的数</translation>
    </message>
    <message>
        <source>its version is {}</source>
        <translation>它的版本是 {}</translation>
    </message>
    <message>
        <source>its warm-ups have two steps at least</source>
        <translation>它的预热至少有两步</translation>
    </message>
    <message>
        <source>its {} is no JSON object</source>
        <translation>它的 {} 不是 JSON 对象</translation>
    </message>
    <message>
        <source>kill 1 after 12, hang 1 after 12 or slow 1 after 12 by 2.5</source>
        <translation>kill 1 after 12、hang 1 after 12 或 slow 1 after 12 by 2.5</translation>
    </message>
    <message>
        <source>layer norms</source>
        <translation>层归一化</translation>
    </message>
    <message>
        <source>learned positions</source>
        <translation>可学习的位置编码</translation>
    </message>
    <message>
        <source>line 1</source>
        <translation>第 1 行</translation>
    </message>
    <message>
        <source>line {} does not join two tokens to a third</source>
        <translation>第 {} 行没有把两个 token 合并成第三个</translation>
    </message>
    <message>
        <source>line {} of its log fails its checksum</source>
        <translation>日志第 {} 行的校验和不符</translation>
    </message>
    <message>
        <source>line {} of its log is of {} ns, beyond all times</source>
        <translation>日志第 {} 行的时间是 {} ns，超出一切时间</translation>
    </message>
    <message>
        <source>line {} {}</source>
        <translation>第 {} 行{}</translation>
    </message>
    <message>
        <source>line {}, cell {}: {}</source>
        <translation>第 {} 行第 {} 格：{}</translation>
    </message>
    <message>
        <source>line {}, column {}</source>
        <translation>第 {} 行，第 {} 列</translation>
    </message>
    <message>
        <source>line {}, {}</source>
        <translation>第 {} 行，{}</translation>
    </message>
    <message>
        <source>lm_head.weight differs from wte.weight, and the layout&apos;s model ties the two</source>
        <translation>lm_head.weight 与 wte.weight 不同，而布局的模型共享这两者</translation>
    </message>
    <message>
        <source>logits with a cap</source>
        <translation>带上限的 logit</translation>
    </message>
    <message>
        <source>master; or fp32, which is torch_autocast</source>
        <translation>master；或 fp32，即 torch_autocast</translation>
    </message>
    <message>
        <source>model.safetensors.index.json has no weight_map</source>
        <translation>model.safetensors.index.json 没有 weight_map</translation>
    </message>
    <message>
        <source>model.safetensors.index.json names no file for {}</source>
        <translation>model.safetensors.index.json 没有为 {} 指定文件</translation>
    </message>
    <message>
        <source>model.safetensors.index.json: {}</source>
        <translation>model.safetensors.index.json：{}</translation>
    </message>
    <message>
        <source>model.vocabulary above {}</source>
        <translation>大于 {} 的 model.vocabulary</translation>
    </message>
    <message>
        <source>model.vocabulary of at least {}</source>
        <translation>不小于 {} 的 model.vocabulary</translation>
    </message>
    <message>
        <source>more spans have begun and not ended (B without E) than fit into {}</source>
        <translation>已开始而未结束的区间（有 B 无 E）超过 {} 所能容纳的数量</translation>
    </message>
    <message>
        <source>mpirun is missing</source>
        <translation>缺少 mpirun</translation>
    </message>
    <message>
        <source>name a second run to compare it with</source>
        <translation>指定与之比较的第二个运行</translation>
    </message>
    <message>
        <source>name {} fails its checksum</source>
        <translation>名称 {} 的校验和不符</translation>
    </message>
    <message>
        <source>no .bin file to train on lies there</source>
        <translation>那里没有用于训练的 .bin 文件</translation>
    </message>
    <message>
        <source>no answer within {} s</source>
        <translation>{} s 之内没有应答</translation>
    </message>
    <message>
        <source>no devices found</source>
        <translation>没有找到设备</translation>
    </message>
    <message>
        <source>no dump was named</source>
        <translation>没有指定转储</translation>
    </message>
    <message>
        <source>no fault that can be brought about</source>
        <translation>不是可以注入的故障</translation>
    </message>
    <message>
        <source>no file was named</source>
        <translation>没有指定文件</translation>
    </message>
    <message>
        <source>no gradient came since the update before</source>
        <translation>自上次更新以来没有梯度</translation>
    </message>
    <message>
        <source>no host in the hostfile</source>
        <translation>主机文件中没有主机</translation>
    </message>
    <message>
        <source>no interface here is in {}</source>
        <translation>这里没有网络接口位于 {}</translation>
    </message>
    <message>
        <source>no interface is up</source>
        <translation>没有启用的接口</translation>
    </message>
    <message>
        <source>no memory</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>no network interface is up</source>
        <translation>没有启用的网络接口</translation>
    </message>
    <message>
        <source>no reason was given</source>
        <translation>没有说明原因</translation>
    </message>
    <message>
        <source>no step is complete in both runs</source>
        <translation>没有一步在两个运行中都是完整的</translation>
    </message>
    <message>
        <source>no step of the run is complete</source>
        <translation>运行中没有完整的一步</translation>
    </message>
    <message>
        <source>no temporary folder can be made for a copy: {}</source>
        <translation>无法为副本创建临时文件夹：{}</translation>
    </message>
    <message>
        <source>no {}s found</source>
        <translation>没有找到{}</translation>
    </message>
    <message>
        <source>none or static; or precision.compute fp16</source>
        <translation>none 或 static；或 precision.compute fp16</translation>
    </message>
    <message>
        <source>none; or optimizer.kind adamw</source>
        <translation>none；或 optimizer.kind adamw</translation>
    </message>
    <message>
        <source>none; or parallel.zero of at least 1</source>
        <translation>none；或 parallel.zero 不小于 1</translation>
    </message>
    <message>
        <source>not restarted</source>
        <translation>没有重启</translation>
    </message>
    <message>
        <source>note {} fails its checksum</source>
        <translation>笔记 {} 的校验和不符</translation>
    </message>
    <message>
        <source>note {} is of {} ns, beyond all times</source>
        <translation>笔记 {} 的时间是 {} ns，超出一切时间</translation>
    </message>
    <message>
        <source>nothing is known of the rank</source>
        <translation>对该 rank 一无所知</translation>
    </message>
    <message>
        <source>nothing of it is on the host</source>
        <translation>主机上没有它的数据</translation>
    </message>
    <message>
        <source>nothing of it is on the host yet</source>
        <translation>主机上还没有它的数据</translation>
    </message>
    <message>
        <source>nothing to import</source>
        <translation>没有可导入的内容</translation>
    </message>
    <message>
        <source>nothing to report</source>
        <translation>没有可报告的内容</translation>
    </message>
    <message>
        <source>nothing was heard any more</source>
        <translation>再也没有收到任何消息</translation>
    </message>
    <message>
        <source>nothing was measured</source>
        <translation>没有测得任何数据</translation>
    </message>
    <message>
        <source>of Shardlab&apos;s optimizers it has AdamW ({} adam) and sgd</source>
        <translation>在 Shardlab 的优化器中，它有 AdamW（{} adam）和 sgd</translation>
    </message>
    <message>
        <source>of Shardlab&apos;s optimizers it has AdamW and SGD</source>
        <translation>在 Shardlab 的优化器中，它有 AdamW 和 SGD</translation>
    </message>
    <message>
        <source>of gates, what is written for it has SiLU alone ({})</source>
        <translation>在门控激活函数中，为它写出的只有 SiLU（{}）</translation>
    </message>
    <message>
        <source>offload_optimizer is a part of ZeRO</source>
        <translation>offload_optimizer 是 ZeRO 的一部分</translation>
    </message>
    <message>
        <source>offloading is a part of DeepSpeed&apos;s ZeRO</source>
        <translation>卸载是 DeepSpeed 的 ZeRO 的一部分</translation>
    </message>
    <message>
        <source>one .bin file</source>
        <translation>一个 .bin 文件</translation>
    </message>
    <message>
        <source>one SELECT over {}</source>
        <translation>一条对 {} 的 SELECT</translation>
    </message>
    <message>
        <source>one checkpoint that stays</source>
        <translation>只保留一个检查点</translation>
    </message>
    <message>
        <source>one of {}</source>
        <translation>{} 之一</translation>
    </message>
    <message>
        <source>only one value can count, and it is unclear which was meant</source>
        <translation>只有一个值能算数，而不清楚是哪一个</translation>
    </message>
    <message>
        <source>only the first and the last stage share an embedding, and a rank that holds both sums it once</source>
        <translation>只有第一个和最后一个阶段共享嵌入，同时持有两者的 rank 只求和一次</translation>
    </message>
    <message>
        <source>other hosts cannot reach this machine</source>
        <translation>其他主机无法连接到本机</translation>
    </message>
    <message>
        <source>other pipeline ranks have it, and all take part</source>
        <translation>其他流水线 rank 有它，而所有 rank 都要参与</translation>
    </message>
    <message>
        <source>other stages have it, and all take part</source>
        <translation>其他阶段有它，而所有阶段都要参与</translation>
    </message>
    <message>
        <source>parallel.exchange allreduce, server or hogwild</source>
        <translation>parallel.exchange allreduce、server 或 hogwild</translation>
    </message>
    <message>
        <source>partitioned inputs of a part of the blocks</source>
        <translation>只对一部分块切分输入</translation>
    </message>
    <message>
        <source>pipeline rank {} holds no stage</source>
        <translation>流水线 rank {} 不含任何阶段</translation>
    </message>
    <message>
        <source>pipeline rank {} needs {}, {} too much: its device has {}; most are {}, {}</source>
        <translation>流水线 rank {} 需要 {}，超出 {}：其设备有 {}；最多的是{}，{}</translation>
    </message>
    <message>
        <source>pipeline rank {} sends {} at this place</source>
        <translation>流水线 rank {} 在此处发送 {}</translation>
    </message>
    <message>
        <source>pipeline rank {}, action {}, {}</source>
        <translation>流水线 rank {}，第 {} 个动作，{}</translation>
    </message>
    <message>
        <source>pipeline rank {}, {}</source>
        <translation>流水线 rank {}，{}</translation>
    </message>
    <message>
        <source>rank 0 writes the profile, on its own host</source>
        <translation>性能剖析由 rank 0 在它自己的主机上写出</translation>
    </message>
    <message>
        <source>rank {} recorded more than {} × {} in step {}</source>
        <translation>rank {0} 在第 {3} 步中记录了超过 {1} 个 {2}</translation>
    </message>
    <message>
        <source>rank {} wrote format {}, rank {} format {}</source>
        <translation>rank {} 写出的格式是 {}，rank {} 的格式是 {}</translation>
    </message>
    <message>
        <source>ranks are started by Open MPI</source>
        <translation>各 rank 由 Open MPI 启动</translation>
    </message>
    <message>
        <source>reading it takes more work than a file of its size can need: it is damaged</source>
        <translation>读取它的工作量超出同样大小的文件所能需要的：它已损坏</translation>
    </message>
    <message>
        <source>recomputation of a part of each stage</source>
        <translation>只对各阶段的一部分做重计算</translation>
    </message>
    <message>
        <source>recomputation of some blocks</source>
        <translation>只对部分块做重计算</translation>
    </message>
    <message>
        <source>refused: {}</source>
        <translation>被拒绝：{}</translation>
    </message>
    <message>
        <source>replicas are averaged before the shared embedding is summed</source>
        <translation>先对各副本求平均，再对共享的嵌入求和</translation>
    </message>
    <message>
        <source>replicas are summed before the shared embedding is</source>
        <translation>先对各副本求和，再对共享的嵌入求和</translation>
    </message>
    <message>
        <source>resize REPLICAS, kill RANK or hang RANK, on a line, by this user or root</source>
        <translation>由本用户或 root 写入的一行：resize 副本数、kill RANK 或 hang RANK</translation>
    </message>
    <message>
        <source>ring; or a number of heads of keys that {} divides</source>
        <translation>ring；或能被 {} 整除的键的头数</translation>
    </message>
    <message>
        <source>run.min_data of 1 or more</source>
        <translation>run.min_data 不小于 1</translation>
    </message>
    <message>
        <source>salloc --ntasks-per-node=N</source>
        <translation>salloc --ntasks-per-node=N</translation>
    </message>
    <message>
        <source>scores of experts with a bias</source>
        <translation>带偏置的专家得分</translation>
    </message>
    <message>
        <source>scores that fall with the distance</source>
        <translation>随距离下降的注意力得分</translation>
    </message>
    <message>
        <source>scores with a cap</source>
        <translation>带上限的注意力得分</translation>
    </message>
    <message>
        <source>second halves of a part of each stage</source>
        <translation>只重计算各阶段一部分的后半块</translation>
    </message>
    <message>
        <source>segments of several blocks over a part of a stage</source>
        <translation>只在阶段的一部分中采用多块片段</translation>
    </message>
    <message>
        <source>sequence parallelism</source>
        <translation>序列并行</translation>
    </message>
    <message>
        <source>sequence {} has {} tokens</source>
        <translation>序列 {} 有 {} 个 token</translation>
    </message>
    <message>
        <source>sequence {} lies at byte {}, and those before it end at {}</source>
        <translation>序列 {} 位于字节 {}，而此前的序列在 {} 结束</translation>
    </message>
    <message>
        <source>sequences one behind the other, as Megatron writes them</source>
        <translation>像 Megatron 所写的那样首尾相接的序列</translation>
    </message>
    <message>
        <source>several copies go with FSDP2 alone</source>
        <translation>多份拷贝只与 FSDP2 同用</translation>
    </message>
    <message>
        <source>several files of tokens</source>
        <translation>多个 token 文件</translation>
    </message>
    <message>
        <source>shardlab-rank is missing</source>
        <translation>缺少 shardlab-rank</translation>
    </message>
    <message>
        <source>slow RANK after STEPS by FACTOR</source>
        <translation>slow RANK after 步数 by 倍数</translation>
    </message>
    <message>
        <source>smaller microbatches or a larger global batch; or schedule.kind 1f1b</source>
        <translation>更小的微批次或更大的全局批次；或 schedule.kind 1f1b</translation>
    </message>
    <message>
        <source>somebody else has a file of that name</source>
        <translation>已有他人的同名文件</translation>
    </message>
    <message>
        <source>something else has that name</source>
        <translation>该名称已被其他东西占用</translation>
    </message>
    <message>
        <source>something follows it</source>
        <translation>其后还有内容</translation>
    </message>
    <message>
        <source>something that is no file has that name</source>
        <translation>该名称已被占用，但不是文件</translation>
    </message>
    <message>
        <source>stage {} lies on pipeline rank {}</source>
        <translation>阶段 {} 位于流水线 rank {}</translation>
    </message>
    <message>
        <source>stage {} lies on pipeline rank {} of {}</source>
        <translation>阶段 {} 位于流水线 rank {}，共 {} 个</translation>
    </message>
    <message>
        <source>stage {} stands nowhere</source>
        <translation>阶段 {} 没有出现</translation>
    </message>
    <message>
        <source>stage {} stands on line {} too</source>
        <translation>阶段 {} 也出现在第 {} 行</translation>
    </message>
    <message>
        <source>stages of different length</source>
        <translation>长度不同的阶段</translation>
    </message>
    <message>
        <source>start this from within salloc or sbatch, or name hosts with --hostfile</source>
        <translation>在 salloc 或 sbatch 中启动，或用 --hostfile 指定主机</translation>
    </message>
    <message>
        <source>stopped while hosts were called</source>
        <translation>在联系主机时停止</translation>
    </message>
    <message>
        <source>tensor &quot;{}&quot; does not fit its checksum</source>
        <translation>张量“{}”的校验和不符</translation>
    </message>
    <message>
        <source>tensor &quot;{}&quot; has an odd shape</source>
        <translation>张量“{}”的形状不对</translation>
    </message>
    <message>
        <source>tensor &quot;{}&quot; holds {}</source>
        <translation>张量“{}”的类型为 {}</translation>
    </message>
    <message>
        <source>tensor &quot;{}&quot; is not all there</source>
        <translation>张量“{}”不完整</translation>
    </message>
    <message>
        <source>tensor &quot;{}&quot; is not as the manifest says</source>
        <translation>张量“{}”与清单所述的不符</translation>
    </message>
    <message>
        <source>tensor &quot;{}&quot; overlaps another or leaves a gap before it</source>
        <translation>张量“{}”与另一个重叠，或在它之前留有空隙</translation>
    </message>
    <message>
        <source>tensor &quot;{}&quot; {}</source>
        <translation>张量“{}”{}</translation>
    </message>
    <message>
        <source>tensor parallelism within a pipeline</source>
        <translation>流水线内的张量并行</translation>
    </message>
    <message>
        <source>tensor parallelism without sequence parallelism</source>
        <translation>没有序列并行的张量并行</translation>
    </message>
    <message>
        <source>text is empty</source>
        <translation>文本为空</translation>
    </message>
    <message>
        <source>text too short</source>
        <translation>文本太短</translation>
    </message>
    <message>
        <source>texts of at most {}</source>
        <translation>最多 {} 的文本</translation>
    </message>
    <message>
        <source>the Slurm allocation contradicts itself</source>
        <translation>Slurm 分配自相矛盾</translation>
    </message>
    <message>
        <source>the Slurm allocation does not say its slots</source>
        <translation>Slurm 分配没有说明它的槽位</translation>
    </message>
    <message>
        <source>the built-in images</source>
        <translation>内置图像</translation>
    </message>
    <message>
        <source>the checkpoint has done {} steps and the layout asks for {}</source>
        <translation>检查点已完成 {} 步，而布局要求 {} 步</translation>
    </message>
    <message>
        <source>the checkpoint holds no weights</source>
        <translation>检查点中没有权重</translation>
    </message>
    <message>
        <source>the checkpoint is damaged</source>
        <translation>检查点已损坏</translation>
    </message>
    <message>
        <source>the checkpoint was written by a later version</source>
        <translation>检查点由更新的版本写出</translation>
    </message>
    <message>
        <source>the checkpoint&apos;s manifest is damaged</source>
        <translation>检查点的清单已损坏</translation>
    </message>
    <message>
        <source>the collector has stopped</source>
        <translation>收集器已停止</translation>
    </message>
    <message>
        <source>the columns of each table are listed by shardlab query --tables</source>
        <translation>各表的列见 shardlab query --tables</translation>
    </message>
    <message>
        <source>the comparison was cancelled</source>
        <translation>比较已取消</translation>
    </message>
    <message>
        <source>the connection broke</source>
        <translation>连接中断</translation>
    </message>
    <message>
        <source>the connection was closed</source>
        <translation>连接被关闭</translation>
    </message>
    <message>
        <source>the current weights are version {}</source>
        <translation>当前权重的版本是 {}</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>磁盘已满</translation>
    </message>
    <message>
        <source>the field&apos;s default</source>
        <translation>该字段的默认值</translation>
    </message>
    <message>
        <source>the figures from step {} on fail their checksum</source>
        <translation>从第 {} 步起的数据校验和不符</translation>
    </message>
    <message>
        <source>the file is cut short</source>
        <translation>文件不完整</translation>
    </message>
    <message>
        <source>the file is empty</source>
        <translation>文件是空的</translation>
    </message>
    <message>
        <source>the file is not trusted</source>
        <translation>不信任该文件</translation>
    </message>
    <message>
        <source>the file is too large</source>
        <translation>文件太大</translation>
    </message>
    <message>
        <source>the folder has no file that is one</source>
        <translation>文件夹中没有这样的文件</translation>
    </message>
    <message>
        <source>the folder holds neither model.safetensors nor model.safetensors.index.json</source>
        <translation>文件夹中既没有 model.safetensors 也没有 model.safetensors.index.json</translation>
    </message>
    <message>
        <source>the folder is none and holds none</source>
        <translation>该文件夹不是检查点，其中也没有检查点</translation>
    </message>
    <message>
        <source>the folder of checkpoints is in use</source>
        <translation>检查点文件夹正被使用</translation>
    </message>
    <message>
        <source>the gate {}</source>
        <translation>门控 {}</translation>
    </message>
    <message>
        <source>the host cannot be reached</source>
        <translation>无法联系到该主机</translation>
    </message>
    <message>
        <source>the host updates with gradients that are there</source>
        <translation>主机用已经到达的梯度更新</translation>
    </message>
    <message>
        <source>the host updates with the averaged gradient</source>
        <translation>主机用平均后的梯度更新</translation>
    </message>
    <message>
        <source>the host updates with the whole gradient</source>
        <translation>主机用完整的梯度更新</translation>
    </message>
    <message>
        <source>the import was cancelled</source>
        <translation>导入已取消</translation>
    </message>
    <message>
        <source>the index of one of Megatron&apos;s data sets, whose tokens lie in the .bin beside it</source>
        <translation>Megatron 数据集的索引，其 token 在旁边的 .bin 中</translation>
    </message>
    <message>
        <source>the index of one of fairseq&apos;s data sets</source>
        <translation>fairseq 数据集的索引</translation>
    </message>
    <message>
        <source>the installation is not complete</source>
        <translation>安装不完整</translation>
    </message>
    <message>
        <source>the kernel gave no random bytes</source>
        <translation>内核没有给出随机字节</translation>
    </message>
    <message>
        <source>the key stands twice</source>
        <translation>该键出现两次</translation>
    </message>
    <message>
        <source>the layers read fp32 weights that were rounded to 16 bits</source>
        <translation>各层读取的是舍入到 16 位的 fp32 权重</translation>
    </message>
    <message>
        <source>the layout cannot be shrunk</source>
        <translation>无法缩小该布局</translation>
    </message>
    <message>
        <source>the layout cannot run</source>
        <translation>布局无法运行</translation>
    </message>
    <message>
        <source>the layout cannot run with so many replicas</source>
        <translation>布局无法以这么多副本运行</translation>
    </message>
    <message>
        <source>the layout has no such place</source>
        <translation>布局中没有这样的位置</translation>
    </message>
    <message>
        <source>the layout is too long to be sent to other hosts</source>
        <translation>布局太长，无法发送到其他主机</translation>
    </message>
    <message>
        <source>the layout names a program that would be started, and you have not allowed it</source>
        <translation>布局指定了要启动的程序，而您没有允许它</translation>
    </message>
    <message>
        <source>the layout&apos;s model and optimizer need it</source>
        <translation>布局的模型和优化器需要它</translation>
    </message>
    <message>
        <source>the list of presets is damaged</source>
        <translation>预设的列表已损坏</translation>
    </message>
    <message>
        <source>the measured layout cannot be planned</source>
        <translation>无法为所测量的布局做计划</translation>
    </message>
    <message>
        <source>the mesh of its sequence_parallel_size has two axes, this one and data</source>
        <translation>它的 sequence_parallel_size 的网格有两个轴，即这一轴和数据轴</translation>
    </message>
    <message>
        <source>the model {}</source>
        <translation>模型 {}</translation>
    </message>
    <message>
        <source>the next update makes version {}</source>
        <translation>下一次更新产生版本 {}</translation>
    </message>
    <message>
        <source>the norm is that of the whole gradient</source>
        <translation>范数是整个梯度的范数</translation>
    </message>
    <message>
        <source>the one restart is used</source>
        <translation>唯一的一次重启已用完</translation>
    </message>
    <message>
        <source>the optimizer on the host without ZeRO</source>
        <translation>没有 ZeRO 时把优化器放在主机上</translation>
    </message>
    <message>
        <source>the optimizer that it offloads is Adam</source>
        <translation>它卸载的优化器是 Adam</translation>
    </message>
    <message>
        <source>the order of its actions is written by hand and has no smaller form</source>
        <translation>它的动作顺序是手写的，没有更小的形式</translation>
    </message>
    <message>
        <source>the position is not of this run</source>
        <translation>该位置不属于此运行</translation>
    </message>
    <message>
        <source>the question was cancelled</source>
        <translation>查询已取消</translation>
    </message>
    <message>
        <source>the question was ended</source>
        <translation>查询被终止</translation>
    </message>
    <message>
        <source>the record of rank {} fails its checksum</source>
        <translation>rank {} 的记录校验和不符</translation>
    </message>
    <message>
        <source>the run cannot be resized</source>
        <translation>无法改变运行的规模</translation>
    </message>
    <message>
        <source>the run file</source>
        <translation>运行文件</translation>
    </message>
    <message>
        <source>the run is being recorded</source>
        <translation>运行正在记录</translation>
    </message>
    <message>
        <source>the run is damaged</source>
        <translation>运行文件已损坏</translation>
    </message>
    <message>
        <source>the run was {}: {}</source>
        <translation>运行的结果是{}：{}</translation>
    </message>
    <message>
        <source>the schedule cannot run</source>
        <translation>该调度无法运行</translation>
    </message>
    <message>
        <source>the schedule is forward only</source>
        <translation>该调度只有前向</translation>
    </message>
    <message>
        <source>the server updates with all gradients</source>
        <translation>服务器用全部梯度更新</translation>
    </message>
    <message>
        <source>the shapes differ</source>
        <translation>形状不同</translation>
    </message>
    <message>
        <source>the shard is missing: {}</source>
        <translation>缺少分片：{}</translation>
    </message>
    <message>
        <source>the state of sgd on the host</source>
        <translation>把 sgd 的状态放在主机上</translation>
    </message>
    <message>
        <source>the system takes no more bytes</source>
        <translation>系统不再接收更多字节</translation>
    </message>
    <message>
        <source>the table of blocks</source>
        <translation>数据块的表</translation>
    </message>
    <message>
        <source>the tables are {}</source>
        <translation>可用的表是 {}</translation>
    </message>
    <message>
        <source>the text is not UTF-8</source>
        <translation>文本不是 UTF-8</translation>
    </message>
    <message>
        <source>the text is too long</source>
        <translation>文本太长</translation>
    </message>
    <message>
        <source>the token is damaged</source>
        <translation>令牌已损坏</translation>
    </message>
    <message>
        <source>the tokenizer has more tokens than the model</source>
        <translation>分词器的 token 多于模型的词表</translation>
    </message>
    <message>
        <source>the tokenizer&apos;s expression failed on {} bytes: {}</source>
        <translation>分词器的表达式在 {} 个字节上失败：{}</translation>
    </message>
    <message>
        <source>the training part has {} windows, a global batch takes {}, and data.last_batch drop leaves out what fills none</source>
        <translation>训练部分有 {} 个窗口，一个全局批次需要 {} 个，而 data.last_batch drop 会舍弃凑不满的部分</translation>
    </message>
    <message>
        <source>the update needs the averaged gradient</source>
        <translation>更新需要平均后的梯度</translation>
    </message>
    <message>
        <source>the update needs the whole gradient</source>
        <translation>更新需要完整的梯度</translation>
    </message>
    <message>
        <source>the version is kept already</source>
        <translation>该版本已经保留</translation>
    </message>
    <message>
        <source>the version is not kept here</source>
        <translation>该版本没有在这里保留</translation>
    </message>
    <message>
        <source>the version that wrote it</source>
        <translation>写出它的那个版本</translation>
    </message>
    <message>
        <source>the weight gradient needs what the input gradient left</source>
        <translation>权重梯度需要输入梯度留下的数据</translation>
    </message>
    <message>
        <source>the {} part has {}, one window needs {} (model.sequence + 1){}</source>
        <translation>{} 部分有 {}，一个窗口需要 {}（model.sequence + 1）{}</translation>
    </message>
    <message>
        <source>there are no actions</source>
        <translation>没有动作</translation>
    </message>
    <message>
        <source>there are no documents</source>
        <translation>没有文档</translation>
    </message>
    <message>
        <source>there are no tokens</source>
        <translation>没有 token</translation>
    </message>
    <message>
        <source>there are too many actions</source>
        <translation>动作太多</translation>
    </message>
    <message>
        <source>there are too many tokens</source>
        <translation>token 太多</translation>
    </message>
    <message>
        <source>there are {} stages and {} microbatches</source>
        <translation>有 {} 个阶段和 {} 个微批次</translation>
    </message>
    <message>
        <source>there is no Slurm allocation</source>
        <translation>没有 Slurm 分配</translation>
    </message>
    <message>
        <source>there is no checkpoint</source>
        <translation>没有检查点</translation>
    </message>
    <message>
        <source>there is no microbatch {}</source>
        <translation>没有微批次 {}</translation>
    </message>
    <message>
        <source>there is no pipeline rank at its other end</source>
        <translation>它的对端没有流水线 rank</translation>
    </message>
    <message>
        <source>there is no stage {}</source>
        <translation>没有阶段 {}</translation>
    </message>
    <message>
        <source>there is no such file</source>
        <translation>没有这个文件</translation>
    </message>
    <message>
        <source>there is no such folder</source>
        <translation>没有这个文件夹</translation>
    </message>
    <message>
        <source>there is no such preset</source>
        <translation>没有这样的预设</translation>
    </message>
    <message>
        <source>there is no such schedule</source>
        <translation>没有这样的调度</translation>
    </message>
    <message>
        <source>there is no {} of {}</source>
        <translation>没有 {1} 的 {0}</translation>
    </message>
    <message>
        <source>there is nothing in it that a timeline could show</source>
        <translation>其中没有可以在时间线上显示的内容</translation>
    </message>
    <message>
        <source>there is nothing left to train</source>
        <translation>没有剩余的训练步</translation>
    </message>
    <message>
        <source>there is nothing to train on</source>
        <translation>没有可用于训练的内容</translation>
    </message>
    <message>
        <source>there is nothing yet to compute again</source>
        <translation>还没有可重新计算的内容</translation>
    </message>
    <message>
        <source>there is nothing yet to send</source>
        <translation>还没有可发送的内容</translation>
    </message>
    <message>
        <source>there is one width without experts, {}, and one with, {}</source>
        <translation>没有专家的块有一个宽度（{}），有专家的块有另一个（{}）</translation>
    </message>
    <message>
        <source>these are no tokens</source>
        <translation>这些不是 token</translation>
    </message>
    <message>
        <source>these weights have an output projection of their own</source>
        <translation>这些权重有自己的输出投影</translation>
    </message>
    <message>
        <source>they are {}</source>
        <translation>共 {} 个</translation>
    </message>
    <message>
        <source>they make {} windows, which are numbered with 32 bits</source>
        <translation>它们组成 {} 个窗口，而窗口用 32 位编号</translation>
    </message>
    <message>
        <source>this is no JSON</source>
        <translation>这不是 JSON</translation>
    </message>
    <message>
        <source>this is no action</source>
        <translation>这不是动作</translation>
    </message>
    <message>
        <source>this is no address</source>
        <translation>这不是地址</translation>
    </message>
    <message>
        <source>this is no agent</source>
        <translation>这不是启动代理</translation>
    </message>
    <message>
        <source>this is no host name</source>
        <translation>这不是主机名</translation>
    </message>
    <message>
        <source>this is no layout</source>
        <translation>这不是布局</translation>
    </message>
    <message>
        <source>this is no legal safetensors file</source>
        <translation>这不是合法的 safetensors 文件</translation>
    </message>
    <message>
        <source>this is no manifest of a checkpoint</source>
        <translation>这不是检查点的清单</translation>
    </message>
    <message>
        <source>this is no parameter of Open MPI</source>
        <translation>这不是 Open MPI 的参数</translation>
    </message>
    <message>
        <source>this is no schedule</source>
        <translation>这不是调度</translation>
    </message>
    <message>
        <source>this is no variable of an environment</source>
        <translation>这不是环境变量</translation>
    </message>
    <message>
        <source>this layout cannot be read</source>
        <translation>无法读取此布局</translation>
    </message>
    <message>
        <source>this layout cannot go on from a checkpoint</source>
        <translation>此布局不能从检查点继续</translation>
    </message>
    <message>
        <source>this layout cannot go on from the checkpoint</source>
        <translation>此布局不能从该检查点继续</translation>
    </message>
    <message>
        <source>this machine first</source>
        <translation>把本机放在最前</translation>
    </message>
    <message>
        <source>this run has no prediction</source>
        <translation>此运行没有预测</translation>
    </message>
    <message>
        <source>tokens of 16 bits</source>
        <translation>16 位 token</translation>
    </message>
    <message>
        <source>tokens of 32 bits</source>
        <translation>32 位 token</translation>
    </message>
    <message>
        <source>tokens of type uint8, int8, uint16, int16, int32 or int64</source>
        <translation>类型为 uint8、int8、uint16、int16、int32 或 int64 的 token</translation>
    </message>
    <message>
        <source>tokens of type {} are not known</source>
        <translation>类型 {} 的 token 未知</translation>
    </message>
    <message>
        <source>too few images</source>
        <translation>图像太少</translation>
    </message>
    <message>
        <source>too few slots</source>
        <translation>槽位太少</translation>
    </message>
    <message>
        <source>too many slots in the hostfile</source>
        <translation>主机文件中的槽位太多</translation>
    </message>
    <message>
        <source>torchtitan shortens it to the steps of the run</source>
        <translation>torchtitan 把它缩短到运行的步数</translation>
    </message>
    <message>
        <source>two are of rank {}</source>
        <translation>有两份属于 rank {}</translation>
    </message>
    <message>
        <source>ulysses with {} heads of keys</source>
        <translation>{} 个键的头的 ulysses</translation>
    </message>
    <message>
        <source>ulysses; or parallel.context 1</source>
        <translation>ulysses；或 parallel.context 1</translation>
    </message>
    <message>
        <source>unknown export format</source>
        <translation>未知的导出格式</translation>
    </message>
    <message>
        <source>unknown import format</source>
        <translation>未知的导入格式</translation>
    </message>
    <message>
        <source>version 1</source>
        <translation>版本 1</translation>
    </message>
    <message>
        <source>version {} is neither kept nor current, which is {}</source>
        <translation>版本 {} 既没有保留，也不是当前版本 {}</translation>
    </message>
    <message>
        <source>version {}, tokens of {} bits</source>
        <translation>版本 {}，{} 位 token</translation>
    </message>
    <message>
        <source>vocab.json and merges.txt of GPT-2, or of a tokenizer trained like it</source>
        <translation>GPT-2 或按其方式训练的分词器的 vocab.json 和 merges.txt</translation>
    </message>
    <message>
        <source>wait for its end</source>
        <translation>等待它结束</translation>
    </message>
    <message>
        <source>weight decay beside the momentum of sgd</source>
        <translation>与 sgd 的动量并用的权重衰减</translation>
    </message>
    <message>
        <source>weights and centre pull each other as they were before the step</source>
        <translation>权重与中心按该步之前的值相互拉近</translation>
    </message>
    <message>
        <source>weights in 16 bits alone</source>
        <translation>仅 16 位的权重</translation>
    </message>
    <message>
        <source>weights in GGUF</source>
        <translation>GGUF 权重</translation>
    </message>
    <message>
        <source>weights of GPT-2 or Llama</source>
        <translation>GPT-2 或 Llama 的权重</translation>
    </message>
    <message>
        <source>weights of PyTorch</source>
        <translation>PyTorch 的权重</translation>
    </message>
    <message>
        <source>weights that were saved with tie_word_embeddings</source>
        <translation>以 tie_word_embeddings 保存的权重</translation>
    </message>
    <message>
        <source>what arrived was damaged</source>
        <translation>收到的内容已损坏</translation>
    </message>
    <message>
        <source>what begins there goes on for more than {} before another text or number begins</source>
        <translation>从那里开始的内容超过 {} 仍没有下一个文本或数字开始</translation>
    </message>
    <message>
        <source>what comes back is what it updates</source>
        <translation>取回的是它更新后的内容</translation>
    </message>
    <message>
        <source>what follows block {}</source>
        <translation>数据块 {} 之后的内容</translation>
    </message>
    <message>
        <source>what is computed again is for the backward</source>
        <translation>重新计算的内容供反向使用</translation>
    </message>
    <message>
        <source>what is gathered is what it updates</source>
        <translation>收集的是它更新后的内容</translation>
    </message>
    <message>
        <source>what is gathered must have come back</source>
        <translation>收集的内容必须已经取回</translation>
    </message>
    <message>
        <source>what is measured are the processor&apos;s cores</source>
        <translation>所测量的是处理器的核</translation>
    </message>
    <message>
        <source>what is not compute is added from the layout</source>
        <translation>非计算的动作由布局添加</translation>
    </message>
    <message>
        <source>what is written for {} has a softmax over the scores of tokens alone</source>
        <translation>为 {} 写出的只对 token 的得分做 softmax</translation>
    </message>
    <message>
        <source>what is written for {} has logits as they are</source>
        <translation>为 {} 写出的不改变 logit</translation>
    </message>
    <message>
        <source>what is written for {} has scores as they are</source>
        <translation>为 {} 写出的不改变注意力得分</translation>
    </message>
    <message>
        <source>what it says of its size limit is no JSON object</source>
        <translation>其中关于大小上限的内容不是 JSON 对象</translation>
    </message>
    <message>
        <source>what rank {} recorded last is missing</source>
        <translation>缺少 rank {} 最后记录的内容</translation>
    </message>
    <message>
        <source>what was asked of the run is ignored</source>
        <translation>对该运行的请求被忽略</translation>
    </message>
    <message>
        <source>what was written cannot be read back</source>
        <translation>写出的内容无法读回</translation>
    </message>
    <message>
        <source>with the exchange {} every replica has weights and a place in the data of its own, and a checkpoint has one of each</source>
        <translation>采用交换方式 {} 时，每个副本有自己的权重和数据位置，而检查点各只有一份</translation>
    </message>
    <message>
        <source>without FSDP weights are fp32 and autocast rounds them for each product</source>
        <translation>没有 FSDP 时权重是 fp32，autocast 为每次矩阵乘法舍入它们</translation>
    </message>
    <message>
        <source>without ZeRO weights are fp32 and autocast rounds them for each product</source>
        <translation>没有 ZeRO 时权重是 fp32，autocast 为每次矩阵乘法舍入它们</translation>
    </message>
    <message>
        <source>without a pipeline it takes one microbatch after the other</source>
        <translation>没有流水线时它逐个处理微批次</translation>
    </message>
    <message>
        <source>wrong line in the hostfile</source>
        <translation>主机文件中有错误的行</translation>
    </message>
    <message>
        <source>{} ({})</source>
        <translation>{}（{}）</translation>
    </message>
    <message>
        <source>{} RANK after STEPS</source>
        <translation>{} RANK after 步数</translation>
    </message>
    <message>
        <source>{} actions cannot be a forward for each of {} microbatches in {} stages</source>
        <translation>{} 个动作不够 {} 个微批次在 {} 个阶段中各做一次前向</translation>
    </message>
    <message>
        <source>{} are to train on, a global batch takes {}, and data.last_batch drop leaves out what fills none</source>
        <translation>可用于训练的有 {} 个，一个全局批次需要 {} 个，而 data.last_batch drop 会舍弃凑不满的部分</translation>
    </message>
    <message>
        <source>{} at most</source>
        <translation>最多 {} 个</translation>
    </message>
    <message>
        <source>{} averages the gradients of all replicas in every step</source>
        <translation>{} 在每一步对所有副本的梯度求平均</translation>
    </message>
    <message>
        <source>{} before it was encrypted: what listens there may not speak TLS</source>
        <translation>{}，此时尚未加密：在那里监听的程序可能不使用 TLS</translation>
    </message>
    <message>
        <source>{} beside it: {}</source>
        <translation>旁边的 {}：{}</translation>
    </message>
    <message>
        <source>{} block computes single blocks again, uniform all blocks of a stage</source>
        <translation>{} 为 block 时重新计算单个块，为 uniform 时重新计算一个阶段的所有块</translation>
    </message>
    <message>
        <source>{} bytes are no whole number of tokens</source>
        <translation>{} 个字节不是整数个 token</translation>
    </message>
    <message>
        <source>{} came before the run&apos;s header</source>
        <translation>{} 先于运行的文件头到来</translation>
    </message>
    <message>
        <source>{} cannot be read: the file is truncated or damaged</source>
        <translation>{}无法读取：文件被截断或已损坏</translation>
    </message>
    <message>
        <source>{} cannot be scheduled</source>
        <translation>无法按 {} 调度</translation>
    </message>
    <message>
        <source>{} chunks are asked for</source>
        <translation>要求 {} 个模型块</translation>
    </message>
    <message>
        <source>{} copies without FSDP</source>
        <translation>没有 FSDP 的 {} 份拷贝</translation>
    </message>
    <message>
        <source>{} counts {} tokens of {} bytes, and it has {} bytes</source>
        <translation>{} 记有 {} 个 {} 字节的 token，却有 {} 个字节</translation>
    </message>
    <message>
        <source>{} devices beside a host with {}</source>
        <translation>{} 个设备，而另一台主机有 {} 个</translation>
    </message>
    <message>
        <source>{} fails its checksum</source>
        <translation>{}的校验和不符</translation>
    </message>
    <message>
        <source>{} first</source>
        <translation>先做 {}</translation>
    </message>
    <message>
        <source>{} fixes it as Llama 3 has it; the factor alone can be chosen</source>
        <translation>{} 按 Llama 3 的方式固定它；只有倍数可以选择</translation>
    </message>
    <message>
        <source>{} for 1 microbatch in flight</source>
        <translation>{}，用于 1 个未完成的微批次</translation>
    </message>
    <message>
        <source>{} for {}</source>
        <translation>{1} 中的{0}</translation>
    </message>
    <message>
        <source>{} for {} microbatches in flight</source>
        <translation>{}，用于 {} 个未完成的微批次</translation>
    </message>
    <message>
        <source>{} gives every replica a part of every layer</source>
        <translation>{} 让每个副本持有每一层的一部分</translation>
    </message>
    <message>
        <source>{} goes from {} to {} ns after the trace&apos;s first event</source>
        <translation>{} 位于跟踪的第一个事件之后 {} 到 {} ns</translation>
    </message>
    <message>
        <source>{} has learned_absolute and rope</source>
        <translation>{} 有 learned_absolute 和 rope</translation>
    </message>
    <message>
        <source>{} has no setting that does the same</source>
        <translation>{} 没有作用相同的设置</translation>
    </message>
    <message>
        <source>{} holds for all blocks</source>
        <translation>{} 对所有块都相同</translation>
    </message>
    <message>
        <source>{} holds for all layers</source>
        <translation>{} 对所有层都相同</translation>
    </message>
    <message>
        <source>{} holds other events than it says</source>
        <translation>{}中的事件与它所述的不符</translation>
    </message>
    <message>
        <source>{} is a whole number</source>
        <translation>{} 是整数</translation>
    </message>
    <message>
        <source>{} is an example</source>
        <translation>{} 是一个例子</translation>
    </message>
    <message>
        <source>{} is damaged: {}</source>
        <translation>{}已损坏：{}</translation>
    </message>
    <message>
        <source>{} is gone</source>
        <translation>{}已不存在</translation>
    </message>
    <message>
        <source>{} is no number of slots from 1 to {}</source>
        <translation>{} 不是 1 到 {} 的槽位数</translation>
    </message>
    <message>
        <source>{} is no setting of a host</source>
        <translation>{} 不是主机的设置</translation>
    </message>
    <message>
        <source>{} is no version of a layout</source>
        <translation>{} 不是布局的版本</translation>
    </message>
    <message>
        <source>{} is one number for all stages</source>
        <translation>{} 对所有阶段是同一个数</translation>
    </message>
    <message>
        <source>{} is started with the same number of processes on each node</source>
        <translation>{} 在每个节点上以相同的进程数启动</translation>
    </message>
    <message>
        <source>{} is {} in the layout and {} in the checkpoint; {}</source>
        <translation>{} 在布局中是 {}，在检查点中是 {}；{}</translation>
    </message>
    <message>
        <source>{} lines</source>
        <translation>{} 行</translation>
    </message>
    <message>
        <source>{} makes the input gradient too</source>
        <translation>{} 也产生输入梯度</translation>
    </message>
    <message>
        <source>{} makes the weight gradient too</source>
        <translation>{} 也产生权重梯度</translation>
    </message>
    <message>
        <source>{} microbatches do not divide into {} updates</source>
        <translation>{} 个微批次不能均分为 {} 次更新</translation>
    </message>
    <message>
        <source>{} microbatches on {} ranks</source>
        <translation>{} 个微批次，{} 个 rank</translation>
    </message>
    <message>
        <source>{} microbatches, as a step of the layout has; the schedule has {}</source>
        <translation>布局的一步有 {} 个微批次；该调度有 {} 个</translation>
    </message>
    <message>
        <source>{} names one file by its name without .bin, and its .idx beside it</source>
        <translation>{} 用不带 .bin 的名称指定一个文件及其旁边的 .idx</translation>
    </message>
    <message>
        <source>{} names whole parts of a block, and the activation of a feed-forward block or an operation is none</source>
        <translation>{} 指定块的完整部分，而前馈块的激活函数或单个操作不在其列</translation>
    </message>
    <message>
        <source>{} needs {}</source>
        <translation>{} 需要 {}</translation>
    </message>
    <message>
        <source>{} of each stage&apos;s blocks computed again</source>
        <translation>重新计算每个阶段的 {} 块</translation>
    </message>
    <message>
        <source>{} of its gzip data unpack to more than {}, which no trace does</source>
        <translation>它的 {} gzip 数据解压后超过 {}，没有跟踪会这样</translation>
    </message>
    <message>
        <source>{} of {} is {}, the layout&apos;s model needs {}</source>
        <translation>{1} 的 {0} 是 {2}，而布局的模型需要 {3}</translation>
    </message>
    <message>
        <source>{} of {} ranks find none</source>
        <translation>{1} 个 rank 中有 {0} 个没有槽位</translation>
    </message>
    <message>
        <source>{} on every host</source>
        <translation>每台主机 {} 个</translation>
    </message>
    <message>
        <source>{} on one pipeline rank</source>
        <translation>单个流水线 rank 上的 {}</translation>
    </message>
    <message>
        <source>{} ranks</source>
        <translation>{} 个 rank</translation>
    </message>
    <message>
        <source>{} runs beside it</source>
        <translation>{} 与它同时进行</translation>
    </message>
    <message>
        <source>{} sequences and {} document indices take {} bytes, and it has {}</source>
        <translation>{} 个序列和 {} 个文档索引占 {} 个字节，而它有 {} 个</translation>
    </message>
    <message>
        <source>{} slots, or smaller degrees</source>
        <translation>{} 个槽位，或更小的并行度</translation>
    </message>
    <message>
        <source>{} takes the norm that the blocks have</source>
        <translation>{} 采用各块的归一化方式</translation>
    </message>
    <message>
        <source>{} used another version</source>
        <translation>{} 使用了另一个版本</translation>
    </message>
    <message>
        <source>{} waits for its other end</source>
        <translation>{} 等待它的对端</translation>
    </message>
    <message>
        <source>{} with FSDP</source>
        <translation>与 FSDP 同用的 {}</translation>
    </message>
    <message>
        <source>{} with ZeRO {}</source>
        <translation>与 ZeRO {1} 同用的 {0}</translation>
    </message>
    <message>
        <source>{} with fp32</source>
        <translation>与 fp32 同用的 {}</translation>
    </message>
    <message>
        <source>{} without FSDP</source>
        <translation>没有 FSDP 的 {}</translation>
    </message>
    <message>
        <source>{} {}</source>
        <translation>{} {}</translation>
    </message>
    <message>
        <source>{} {}, {}</source>
        <translation>{} {}，{}</translation>
    </message>
    <message>
        <source>{}. {}</source>
        <translation>{}。{}</translation>
    </message>
    <message>
        <source>{}: pipeline rank {} waits at {} for rank {}</source>
        <translation>{}：流水线 rank {} 停在 {}，等待 rank {}</translation>
    </message>
    <message>
        <source>{}: {}</source>
        <translation>{}：{}</translation>
    </message>
    <message>
        <source>{}; given up</source>
        <translation>{}；已放弃</translation>
    </message>
    <message>
        <source>{}; or pipeline {}</source>
        <translation>{}；或流水线 {}</translation>
    </message>
    <message>
        <source>{}; or {} ({})</source>
        <translation>{}；或{}（{}）</translation>
    </message>
    <message>
        <source>{}; pipeline rank {} has ended</source>
        <translation>{}；流水线 rank {} 已结束</translation>
    </message>
    <message>
        <source>{}; pipeline rank {} waits at {} for rank {}</source>
        <translation>{}；流水线 rank {} 停在 {}，等待 rank {}</translation>
    </message>
    <message>
        <source>{}; {} more of {} hosts cannot take part</source>
        <translation>{}；{1} 台主机（共 {2} 台）也不能参与</translation>
    </message>
    <message>
        <source>“tls” and {} hexadecimal digits, as it was printed and written</source>
        <translation>“tls”和 {} 个十六进制数字，与打印和写出的相同</translation>
    </message>
    <message>
        <source>0; or model.positions rotary</source>
        <translation>0；或 model.positions rotary</translation>
    </message>
    <message>
        <source>tokens predicted ahead</source>
        <translation>预先预测的 token</translation>
    </message>
    <message>
        <source>tokens predicted ahead beside learned positions</source>
        <translation>与可学习位置编码并用的预先预测的 token</translation>
    </message>
    <message>
        <source>{} goes together with rotary positions alone</source>
        <translation>{} 只能与旋转位置编码一起使用</translation>
    </message>
    <message>
        <source>fetch weights</source>
        <translation>取来权重</translation>
    </message>
    <message>
        <source>none or optimizer; or parallel.partition flat</source>
        <translation>none 或 optimizer；或 parallel.partition flat</translation>
    </message>
    <message>
        <source>none or optimizer; or parallel.zero 3</source>
        <translation>none 或 optimizer；或 parallel.zero 3</translation>
    </message>
    <message>
        <source>only ZeRO 3 brings each layer&apos;s weights before they are used and drops them after</source>
        <translation>只有 ZeRO 3 在使用之前取来每层的权重，用后丢弃</translation>
    </message>
    <message>
        <source>only with several replicas, or with parameters on the host</source>
        <translation>仅在有多个副本，或参数在主机上时</translation>
    </message>
    <message>
        <source>parameters on the host</source>
        <translation>参数放在主机上</translation>
    </message>
    <message>
        <source>parameters on the host with ZeRO {}</source>
        <translation>在 ZeRO {} 下把参数放在主机上</translation>
    </message>
    <message>
        <source>parameters on the host with the partition {}</source>
        <translation>以划分 {} 把参数放在主机上</translation>
    </message>
    <message>
        <source>parameters on the host: the weights and the optimizer&apos;s state that a rank owns lie in the host&apos;s memory; each layer&apos;s weights come to the device before every forward and backward that reads them, {} bytes a parameter of the rank&apos;s part each time, and are dropped after; gradients go to the host once a step, {} bytes a parameter, over the device&apos;s own link</source>
        <translation>参数放在主机上：rank 拥有的权重和优化器状态位于主机内存；每次前向和反向读取某层之前，该层的权重传到设备上，rank 自己的部分每次每个参数 {} 字节，用后丢弃；梯度每步送到主机一次，每个参数 {} 字节，经过设备自己的链路</translation>
    </message>
    <message>
        <source>the one replica that a layer belongs to would bring all of it over its own link, while the others&apos; links are idle</source>
        <translation>一层所属的那一个副本要经自己的链路取来整层，而其他副本的链路空闲着</translation>
    </message>
    <message>
        <source>what is gathered must have come from the host</source>
        <translation>收集的内容必须已经从主机取来</translation>
    </message>
    <message>
        <source>{} moves the optimizer alone</source>
        <translation>{} 只移动优化器</translation>
    </message>
    <message>
        <source>--attention-dropout is {}; a layout has one dropout, {}</source>
        <translation>--attention-dropout 为 {}；布局只有一个 dropout，即 {}</translation>
    </message>
    <message>
        <source>--cp-comm-type {}: parallel.context_method is ring</source>
        <translation>--cp-comm-type {}：parallel.context_method 取 ring</translation>
    </message>
    <message>
        <source>--data-path with several files: the layout&apos;s data is its generator</source>
        <translation>--data-path 有多个文件：布局的数据由 generator 生成</translation>
    </message>
    <message>
        <source>--decoder-first-pipeline-num-layers with several chunks: the layout splits its layers evenly</source>
        <translation>--decoder-first-pipeline-num-layers 与多个模型块同用：布局平均划分各层</translation>
    </message>
    <message>
        <source>--fp8-amax-compute-algo: a delayed scale comes from the largest magnitude of its history</source>
        <translation>--fp8-amax-compute-algo：延迟缩放的缩放因子取自历史中的最大绝对值</translation>
    </message>
    <message>
        <source>--fp8-recipe {}: the layout has a scale for each tensor</source>
        <translation>--fp8-recipe {}：布局的每个张量有一个缩放因子</translation>
    </message>
    <message>
        <source>--hysteresis above 1: the layout halves its loss scale at the first overflow</source>
        <translation>--hysteresis 大于 1：布局在第一次溢出时就把损失缩放系数减半</translation>
    </message>
    <message>
        <source>--initial-loss-scale {}: the layout begins with 16777216</source>
        <translation>--initial-loss-scale {}：布局从 16777216 开始</translation>
    </message>
    <message>
        <source>--lr-decay-iters is {}; the layout&apos;s learning rate falls over all {} steps</source>
        <translation>--lr-decay-iters 为 {}；布局的学习率在全部 {} 步内下降</translation>
    </message>
    <message>
        <source>--lr-decay-style {}: the layout&apos;s learning rate is constant</source>
        <translation>--lr-decay-style {}：布局的学习率保持不变</translation>
    </message>
    <message>
        <source>--max-position-embeddings is {}; a layout learns as many positions as its sequence has, {}</source>
        <translation>--max-position-embeddings 为 {}；布局学习的位置数等于其序列长度，即 {}</translation>
    </message>
    <message>
        <source>--moe-router-load-balancing-type {}: the layout balances nothing</source>
        <translation>--moe-router-load-balancing-type {}：布局不做均衡</translation>
    </message>
    <message>
        <source>--optimizer {}: the layout trains with adamw</source>
        <translation>--optimizer {}：布局用 adamw 训练</translation>
    </message>
    <message>
        <source>--optimizer-offload-fraction {}: the layout offloads all of it</source>
        <translation>--optimizer-offload-fraction {}：布局把优化器全部卸载</translation>
    </message>
    <message>
        <source>--pipeline-model-parallel-layout {}: the layout splits its layers evenly</source>
        <translation>--pipeline-model-parallel-layout {}：布局平均划分各层</translation>
    </message>
    <message>
        <source>--position-embedding-type {}: the layout learns positions</source>
        <translation>--position-embedding-type {}：布局采用可学习的位置编码</translation>
    </message>
    <message>
        <source>--qk-layernorm with LayerNorm: the layout&apos;s norms of queries and keys are RMSNorms</source>
        <translation>--qk-layernorm 与 LayerNorm 同用：布局的查询和键的归一化是 RMSNorm</translation>
    </message>
    <message>
        <source>--split {}: data.validation stays</source>
        <translation>--split {}：data.validation 保持不变</translation>
    </message>
    <message>
        <source>--window-size {}: the layout has no window</source>
        <translation>--window-size {}：布局没有窗口</translation>
    </message>
    <message>
        <source>--{} {}: name the tokenizer in data.tokenizer_path</source>
        <translation>--{} {}：请在 data.tokenizer_path 中指定分词器</translation>
    </message>
    <message>
        <source>--{}{} is left out</source>
        <translation>舍弃了 --{}{}</translation>
    </message>
    <message>
        <source>1 action only in {}</source>
        <translation>1 个动作仅在 {} 中</translation>
    </message>
    <message>
        <source>1 step that {} did with fewer ranks than its layout&apos;s are left out</source>
        <translation>未计入 {} 中 rank 少于其布局的 1 步</translation>
    </message>
    <message>
        <source>1 step of which {} recorded no details is left out</source>
        <translation>未计入 {} 没有记录细节的 1 步</translation>
    </message>
    <message>
        <source>2·e·n·kv rank + 4·n</source>
        <translation>2·e·n·键值的秩 + 4·n</translation>
    </message>
    <message>
        <source>2·e·n·query rank + 4·n</source>
        <translation>2·e·n·查询的秩 + 4·n</translation>
    </message>
    <message>
        <source>4·(N·columns + 2·N·k + rows + …)</source>
        <translation>4·(N·列数 + 2·N·k + 行数 + …)</translation>
    </message>
    <message>
        <source>Megatron-LM pads the vocabulary of {} to {}; the layout&apos;s has {}</source>
        <translation>Megatron-LM 把 {} 的词表填充到 {}；布局的词表为 {}</translation>
    </message>
    <message>
        <source>N·q in the products&apos; format</source>
        <translation>矩阵乘法格式下的 N·q</translation>
    </message>
    <message>
        <source>a = {} heads, q = {} and g = {} columns of queries and of keys</source>
        <translation>a = {} 个头，q = {} 和 g = {} 分别是查询和键的列数</translation>
    </message>
    <message>
        <source>a Bloom has a norm of its token embedding (word_embeddings_layernorm), a layout&apos;s model has none</source>
        <translation>Bloom 对 token 嵌入做归一化（word_embeddings_layernorm），而布局的模型没有</translation>
    </message>
    <message>
        <source>a DeepSpeed JSON says nothing of the model, of data and of seeds: they are Shardlab&apos;s defaults</source>
        <translation>DeepSpeed 的 JSON 不涉及模型、数据和种子：它们取 Shardlab 的默认值</translation>
    </message>
    <message>
        <source>a config.json without the fields that are not known, where they change nothing</source>
        <translation>不含未知字段的 config.json，前提是它们不改变任何计算</translation>
    </message>
    <message>
        <source>activation_checkpoint {} {}: the layout computes nothing again</source>
        <translation>activation_checkpoint {} {}：布局不做重计算</translation>
    </message>
    <message>
        <source>activation_checkpoint.selective_ac_option {}: a stage of the layout has {} blocks, and it computes nothing again</source>
        <translation>activation_checkpoint.selective_ac_option {}：布局的一个阶段有 {} 个块，不做重计算</translation>
    </message>
    <message>
        <source>activation_checkpoint.selective_ac_option {}: the layout computes {} blocks of each stage again</source>
        <translation>activation_checkpoint.selective_ac_option {}：布局对每个阶段的 {} 个块做重计算</translation>
    </message>
    <message>
        <source>and {} more tensors</source>
        <translation>以及另外 {} 个张量</translation>
    </message>
    <message>
        <source>attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>codes and scales of U8</source>
        <translation>U8 的编码和缩放因子</translation>
    </message>
    <message>
        <source>config.json: max_position_embeddings is {}, model.sequence is {}</source>
        <translation>config.json：max_position_embeddings 为 {}，而 model.sequence 为 {}</translation>
    </message>
    <message>
        <source>config.json: there are fields that are not known and may change what the model computes: {}</source>
        <translation>config.json：有未知的字段，可能改变模型的计算：{}</translation>
    </message>
    <message>
        <source>config.json: {}</source>
        <translation>config.json：{}</translation>
    </message>
    <message>
        <source>config.json: {} is {}; {} is the layout&apos;s own choice</source>
        <translation>config.json：{} 为 {}；{} 由布局自行决定</translation>
    </message>
    <message>
        <source>copy of it for the projection</source>
        <translation>供投影使用的该结果的拷贝</translation>
    </message>
    <message>
        <source>e = {} B a number, b = {} samples, s = {} tokens, N = {} tokens of a rank, n = {} between its products</source>
        <translation>e = 每个数 {} B，b = {} 个样本，s = {} 个 token，N = 一个 rank 的 {} 个 token，n = 其矩阵乘法之间的 {} 个 token</translation>
    </message>
    <message>
        <source>each tensor once</source>
        <translation>每个张量出现一次</translation>
    </message>
    <message>
        <source>embedding</source>
        <translation>嵌入</translation>
    </message>
    <message>
        <source>e·N·(1 + products)·shared width</source>
        <translation>e·N·(1 + 乘积数)·共享宽度</translation>
    </message>
    <message>
        <source>e·N·expanded columns</source>
        <translation>e·N·展开后的列数</translation>
    </message>
    <message>
        <source>e·N·value columns</source>
        <translation>e·N·值的列数</translation>
    </message>
    <message>
        <source>e·n·rope width</source>
        <translation>e·n·旋转宽度</translation>
    </message>
    <message>
        <source>e·rows·(2h + (1 + products)·f)</source>
        <translation>e·行数·(2h + (1 + 乘积数)·f)</translation>
    </message>
    <message>
        <source>feed-forward</source>
        <translation>前馈</translation>
    </message>
    <message>
        <source>first product</source>
        <translation>第一个乘积</translation>
    </message>
    <message>
        <source>first product and gate</source>
        <translation>第一个乘积和门</translation>
    </message>
    <message>
        <source>fp16.hysteresis above 1: the layout halves its loss scale at the first overflow</source>
        <translation>fp16.hysteresis 大于 1：布局在第一次溢出时就把损失缩放系数减半</translation>
    </message>
    <message>
        <source>fp16.initial_scale_power: the layout&apos;s scale begins with 2^24</source>
        <translation>fp16.initial_scale_power：布局的损失缩放系数从 2^24 开始</translation>
    </message>
    <message>
        <source>gradients of {} local batches accumulate: the layout puts all of them into one pass of the pipeline</source>
        <translation>{} 个本地批次的梯度累积：布局把它们全部放进流水线的一轮中</translation>
    </message>
    <message>
        <source>h = {}, t = {} ranks of a tensor group</source>
        <translation>h = {}，t = 张量组的 {} 个 rank</translation>
    </message>
    <message>
        <source>input of what is computed again</source>
        <translation>重计算部分的输入</translation>
    </message>
    <message>
        <source>input, embedded and joined tokens</source>
        <translation>输入、嵌入后和合并后的 token</translation>
    </message>
    <message>
        <source>it has no model_type</source>
        <translation>它没有 model_type</translation>
    </message>
    <message>
        <source>its model_type is {}</source>
        <translation>它的 model_type 为 {}</translation>
    </message>
    <message>
        <source>join</source>
        <translation>合并</translation>
    </message>
    <message>
        <source>keys and values</source>
        <translation>键和值</translation>
    </message>
    <message>
        <source>latent of keys and values and its norm</source>
        <translation>键和值的潜向量及其归一化</translation>
    </message>
    <message>
        <source>latent of queries and its norm</source>
        <translation>查询的潜向量及其归一化</translation>
    </message>
    <message>
        <source>layer_types has {}, each layer of the {} model attends to all before</source>
        <translation>layer_types 中有 {}，而 {} 模型的每一层都关注之前的所有 token</translation>
    </message>
    <message>
        <source>layer_types {} and {}</source>
        <translation>layer_types 取 {} 和 {}</translation>
    </message>
    <message>
        <source>logarithms of the rows&apos; sums</source>
        <translation>各行之和的对数</translation>
    </message>
    <message>
        <source>logits of modules</source>
        <translation>各模块的 logit</translation>
    </message>
    <message>
        <source>lr_scheduler.decay_ratio: the layout&apos;s learning rate falls from the warm-up on</source>
        <translation>lr_scheduler.decay_ratio：布局的学习率从预热结束起下降</translation>
    </message>
    <message>
        <source>mask of dropout</source>
        <translation>dropout 掩码</translation>
    </message>
    <message>
        <source>memory.recompute is full; the script calls model.gradient_checkpointing_enable()</source>
        <translation>memory.recompute 为 full；由脚本调用 model.gradient_checkpointing_enable()</translation>
    </message>
    <message>
        <source>model.biases qkv or all, as the weights have them</source>
        <translation>model.biases 取 qkv 或 all，与权重一致</translation>
    </message>
    <message>
        <source>model.predicted_tokens {}; or 0 to leave them out</source>
        <translation>model.predicted_tokens 取 {}；或取 0，舍弃这些模块</translation>
    </message>
    <message>
        <source>model.sequence of at most {}</source>
        <translation>不大于 {} 的 model.sequence</translation>
    </message>
    <message>
        <source>model.window {} and model.full_every {}</source>
        <translation>model.window {} 且 model.full_every {}</translation>
    </message>
    <message>
        <source>model_type is {}, model.kind is {}</source>
        <translation>model_type 为 {}，而 model.kind 为 {}</translation>
    </message>
    <message>
        <source>modules·e·N·8⌈V÷8⌉</source>
        <translation>模块数·e·N·8⌈V÷8⌉</translation>
    </message>
    <message>
        <source>modules·e·n·h</source>
        <translation>模块数·e·n·h</translation>
    </message>
    <message>
        <source>no config.json lies beside the weights of {}: what no tensor&apos;s shape tells (heads, activation, the norms&apos; epsilon, the rotary embedding&apos;s base) is taken from the layout</source>
        <translation>{} 的权重旁边没有 config.json：张量形状无法说明的内容（头数、激活函数、归一化的 epsilon、旋转位置编码的基数）取自布局</translation>
    </message>
    <message>
        <source>no {}</source>
        <translation>没有 {}</translation>
    </message>
    <message>
        <source>norm and its statistics</source>
        <translation>归一化及其统计量</translation>
    </message>
    <message>
        <source>output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>output, until it is sent</source>
        <translation>输出，发送之前保留</translation>
    </message>
    <message>
        <source>parallel.bucket: without ZeRO DeepSpeed reduces gradients after the backward</source>
        <translation>parallel.bucket：没有 ZeRO 时 DeepSpeed 在反向之后归约梯度</translation>
    </message>
    <message>
        <source>part of the input, which is computed from again</source>
        <translation>输入的一部分，重计算由它开始</translation>
    </message>
    <message>
        <source>probabilities</source>
        <translation>概率</translation>
    </message>
    <message>
        <source>queries</source>
        <translation>查询</translation>
    </message>
    <message>
        <source>queries and values</source>
        <translation>查询和值</translation>
    </message>
    <message>
        <source>queries, keys and values</source>
        <translation>查询、键和值</translation>
    </message>
    <message>
        <source>queries, keys, values and output of the exchanged heads</source>
        <translation>所交换各头的查询、键、值和输出</translation>
    </message>
    <message>
        <source>ranks of {} whose place in the mesh {} does not have: {}</source>
        <translation>{} 中有而 {} 的网格中没有对应位置的 rank：{}</translation>
    </message>
    <message>
        <source>rows of experts</source>
        <translation>专家的各行</translation>
    </message>
    <message>
        <source>run.seed is {}; NeMo draws weights with 1234 always</source>
        <translation>run.seed 为 {}；NeMo 总是用 1234 随机生成权重</translation>
    </message>
    <message>
        <source>run.steps is {}; the script counts steps</source>
        <translation>run.steps 为 {}；步数由脚本计数</translation>
    </message>
    <message>
        <source>scheduler: the layout&apos;s learning rate rises linearly, not with the logarithm</source>
        <translation>scheduler：布局的学习率线性上升，而不是按对数上升</translation>
    </message>
    <message>
        <source>scheduler: the layout&apos;s warm-up begins near 0</source>
        <translation>scheduler：布局的预热从接近 0 开始</translation>
    </message>
    <message>
        <source>scores and routes of the gate</source>
        <translation>门控的得分和路由</translation>
    </message>
    <message>
        <source>shared experts</source>
        <translation>共享专家</translation>
    </message>
    <message>
        <source>shared key</source>
        <translation>共享的键</translation>
    </message>
    <message>
        <source>stages do not hold the same layers in A and B: compare layers rather than stages</source>
        <translation>A 和 B 的各阶段持有的层不同：应按层而不是按阶段比较</translation>
    </message>
    <message>
        <source>statistics of the norm</source>
        <translation>归一化的统计量</translation>
    </message>
    <message>
        <source>statistics of the norms</source>
        <translation>各归一化的统计量</translation>
    </message>
    <message>
        <source>steps only in {}: {}</source>
        <translation>仅在 {} 中的步：{}</translation>
    </message>
    <message>
        <source>sum that nobody reads</source>
        <translation>无人读取的和</translation>
    </message>
    <message>
        <source>sum with the input</source>
        <translation>与输入之和</translation>
    </message>
    <message>
        <source>tensors of F32, F16 or BF16</source>
        <translation>F32、F16 或 BF16 的张量</translation>
    </message>
    <message>
        <source>the converter {} is left out</source>
        <translation>舍弃了转换器 {}</translation>
    </message>
    <message>
        <source>the decay {}: the layout&apos;s is linear</source>
        <translation>衰减方式 {}：布局采用线性衰减</translation>
    </message>
    <message>
        <source>the file does not say how many devices there are, or not a multiple of {}: parallel.data is {}</source>
        <translation>文件没有说明设备数，或设备数不是 {} 的倍数：parallel.data 取 {}</translation>
    </message>
    <message>
        <source>the file does not say how many tokens there are: model.vocabulary is {}</source>
        <translation>文件没有说明 token 数：model.vocabulary 取 {}</translation>
    </message>
    <message>
        <source>the flavor {} of {} is none whose sizes are known: the model is Shardlab&apos;s default llama</source>
        <translation>{1} 的规格名 {0} 的尺寸未知：模型采用 Shardlab 默认的 llama</translation>
    </message>
    <message>
        <source>the norms of an Mpt have no shift, layer norms of a layout&apos;s model learn one</source>
        <translation>Mpt 的归一化没有偏移，而布局的模型的 LayerNorm 会学习一个偏移</translation>
    </message>
    <message>
        <source>the optimizer {}: the layout&apos;s is adamw</source>
        <translation>优化器 {}：布局采用 adamw</translation>
    </message>
    <message>
        <source>the recipe {}: the layout has a scale for each tensor</source>
        <translation>方案 {}：布局的每个张量有一个缩放因子</translation>
    </message>
    <message>
        <source>the run</source>
        <translation>此次运行</translation>
    </message>
    <message>
        <source>the schedule of {}: {}</source>
        <translation>{} 的调度：{}</translation>
    </message>
    <message>
        <source>the schedule {}: the layout&apos;s is {}</source>
        <translation>调度 {}：布局采用 {}</translation>
    </message>
    <message>
        <source>the scheduler {}: the layout&apos;s learning rate is constant</source>
        <translation>学习率调度 {}：布局的学习率保持不变</translation>
    </message>
    <message>
        <source>the vocabulary has {} tokens, fewer than there are bytes: data.path names a file of tokens to train on</source>
        <translation>词表有 {} 个 token，少于字节的取值数：由 data.path 指定训练所用的 token 文件</translation>
    </message>
    <message>
        <source>the weights beside config.json: they are of a model that differs in what is said above</source>
        <translation>config.json 旁边的权重：它们属于在上述各点上不同的模型</translation>
    </message>
    <message>
        <source>their output projection is the token embedding, and the model has one of its own</source>
        <translation>它们的输出投影就是 token 嵌入，而模型有自己的输出投影</translation>
    </message>
    <message>
        <source>there is no {}</source>
        <translation>没有 {}</translation>
    </message>
    <message>
        <source>these weights do not fit the layout&apos;s model</source>
        <translation>这些权重与布局的模型不符</translation>
    </message>
    <message>
        <source>tokenizer.json: its tokens go up to {}, model.vocabulary is {}</source>
        <translation>tokenizer.json：它的 token 最大到 {}，而 model.vocabulary 为 {}</translation>
    </message>
    <message>
        <source>tokenizer.json: {}</source>
        <translation>tokenizer.json：{}</translation>
    </message>
    <message>
        <source>training.dtype {}: the layout keeps weights in fp32</source>
        <translation>training.dtype {}：布局以 fp32 保存权重</translation>
    </message>
    <message>
        <source>weights of a model whose layer norms have a shift</source>
        <translation>LayerNorm 带有偏移的模型的权重</translation>
    </message>
    <message>
        <source>weights of a model without a norm of its token embedding</source>
        <translation>不对 token 嵌入做归一化的模型的权重</translation>
    </message>
    <message>
        <source>weights of model_type {}</source>
        <translation>model_type 为 {} 的权重</translation>
    </message>
    <message>
        <source>weights whose layer_types are full_attention</source>
        <translation>layer_types 均为 full_attention 的权重</translation>
    </message>
    <message>
        <source>weights whose layers are all dense; or model.kind llama-moe</source>
        <translation>所有层都是稠密层的权重；或 model.kind 取 llama-moe</translation>
    </message>
    <message>
        <source>weights whose layers without a window come every so many layers</source>
        <translation>不带窗口的层按固定间隔出现的权重</translation>
    </message>
    <message>
        <source>weights whose {} is {}</source>
        <translation>{} 为 {} 的权重</translation>
    </message>
    <message>
        <source>weights with each tensor of the layout&apos;s model</source>
        <translation>含有布局的模型的每个张量的权重</translation>
    </message>
    <message>
        <source>weights without {}</source>
        <translation>没有 {} 的权重</translation>
    </message>
    <message>
        <source>what the activation makes</source>
        <translation>激活函数的结果</translation>
    </message>
    <message>
        <source>what the core makes</source>
        <translation>注意力核心的结果</translation>
    </message>
    <message>
        <source>what the norm makes</source>
        <translation>归一化的结果</translation>
    </message>
    <message>
        <source>what the norms of modules make</source>
        <translation>各模块归一化的结果</translation>
    </message>
    <message>
        <source>zero_optimization.stage {} with one replica divides nothing: parallel.zero is 0</source>
        <translation>zero_optimization.stage 为 {} 而只有一个副本，没有什么可切分：parallel.zero 取 0</translation>
    </message>
    <message>
        <source>{0}; {1}</source>
        <translation>{0}；{1}</translation>
    </message>
    <message>
        <source>{} OVERLAP_F_B taken apart: the two actions of a pair follow one another</source>
        <translation>拆开了 {} 个 OVERLAP_F_B：一对中的两个动作先后执行</translation>
    </message>
    <message>
        <source>{} actions only in {}</source>
        <translation>{} 个动作仅在 {} 中</translation>
    </message>
    <message>
        <source>{} and layer_types say which tokens a layer sees, model.window is {} and model.full_every is {}</source>
        <translation>{}，它与 layer_types 决定一层能看到哪些 token，而 model.window 为 {}，model.full_every 为 {}</translation>
    </message>
    <message>
        <source>{} and layer_types, where they are not given, say which tokens a layer sees, model.window is {} and model.full_every is {}</source>
        <translation>{}，它与未给出的 layer_types 的缺省值决定一层能看到哪些 token，而 model.window 为 {}，model.full_every 为 {}</translation>
    </message>
    <message>
        <source>{} copies of the optimizer over {} data ranks: the layout has one</source>
        <translation>优化器在 {1} 个数据并行 rank 上有 {0} 份拷贝：布局只有一份</translation>
    </message>
    <message>
        <source>{} has a bias, and that product of the model has none</source>
        <translation>{} 有偏置，而模型的这个矩阵乘法没有</translation>
    </message>
    <message>
        <source>{} is left out</source>
        <translation>舍弃了 {}</translation>
    </message>
    <message>
        <source>{} is of type {}</source>
        <translation>{} 的类型为 {}</translation>
    </message>
    <message>
        <source>{} is paced: its times are those of the devices that it models, the other side&apos;s those of the machine that it ran on</source>
        <translation>{} 是定速运行：它的时间是所建模设备的时间，另一方的时间是实际运行所在机器的时间</translation>
    </message>
    <message>
        <source>{} is there twice</source>
        <translation>{} 出现了两次</translation>
    </message>
    <message>
        <source>{} is there, the layout&apos;s model has no such tensor</source>
        <translation>有 {}，而布局的模型没有这个张量</translation>
    </message>
    <message>
        <source>{} is {}</source>
        <translation>{} 为 {}</translation>
    </message>
    <message>
        <source>{} is {} where it is not given</source>
        <translation>未给出的 {} 取 {}</translation>
    </message>
    <message>
        <source>{} is {}, the layout&apos;s model needs {}</source>
        <translation>{} 为 {}，而布局的模型需要 {}</translation>
    </message>
    <message>
        <source>{} is {}, which is no object</source>
        <translation>{} 为 {}，不是对象</translation>
    </message>
    <message>
        <source>{} is {}, which is not known and may change the rotary embedding</source>
        <translation>{} 为 {}，这一字段未知，可能改变旋转位置编码</translation>
    </message>
    <message>
        <source>{} is {}: their rotary embedding is scaled as no layout&apos;s is</source>
        <translation>{} 为 {}：布局没有这种旋转位置编码的缩放方式</translation>
    </message>
    <message>
        <source>{} is {}; it is not carried over</source>
        <translation>{} 为 {}；未导出</translation>
    </message>
    <message>
        <source>{} left out: what is not compute is made anew from the layout</source>
        <translation>舍弃了 {}：计算以外的动作由布局重新生成</translation>
    </message>
    <message>
        <source>{} norms</source>
        <translation>{} 个归一化</translation>
    </message>
    <message>
        <source>{} steps that {} did with fewer ranks than its layout&apos;s are left out</source>
        <translation>未计入 {1} 中 rank 少于其布局的 {0} 步</translation>
    </message>
    <message>
        <source>{} steps of which {} recorded no details are left out</source>
        <translation>未计入 {1} 没有记录细节的 {0} 步</translation>
    </message>
    <message>
        <source>{} without {}, where it changes nothing</source>
        <translation>不含 {1} 的 {0}，前提是它不改变任何计算</translation>
    </message>
    <message>
        <source>{}, and layers from there on have experts, as the layout&apos;s have not</source>
        <translation>{}，从该层起各层都有专家，而布局的各层没有</translation>
    </message>
    <message>
        <source>{}, and the norms of its latents have 1e-06 all the same, but the layout&apos;s norms all have one</source>
        <translation>{}，而其潜向量的归一化仍为 1e-06，但布局的所有归一化采用同一个值</translation>
    </message>
    <message>
        <source>{}, model.activation is {}</source>
        <translation>{}，而 model.activation 为 {}</translation>
    </message>
    <message>
        <source>{}, model.dense_layers is {}</source>
        <translation>{}，而 model.dense_layers 为 {}</translation>
    </message>
    <message>
        <source>{}, model.predicted_tokens is {}</source>
        <translation>{}，而 model.predicted_tokens 为 {}</translation>
    </message>
    <message>
        <source>{}, model.sequence is {}</source>
        <translation>{}，而 model.sequence 为 {}</translation>
    </message>
    <message>
        <source>{}, such as {}</source>
        <translation>{}，例如 {}</translation>
    </message>
    <message>
        <source>{}, the width of the layout&apos;s layer {} is {}</source>
        <translation>{}，而布局的第 {} 层的宽度为 {}</translation>
    </message>
    <message>
        <source>{}, the {} model has {}</source>
        <translation>{}，而 {} 模型为 {}</translation>
    </message>
    <message>
        <source>{}, {} is {}</source>
        <translation>{}，而 {} 为 {}</translation>
    </message>
    <message>
        <source>{}, {}, {}</source>
        <translation>{}，{}，{}</translation>
    </message>
    <message>
        <source>{}: the layout&apos;s model has no experts</source>
        <translation>{}：布局的模型没有专家</translation>
    </message>
    <message>
        <source>offload_param goes with stage 3 alone: it is left out</source>
        <translation>offload_param 只用于 ZeRO 3：已舍弃</translation>
    </message>
    <message>
        <source>offload_param without offload_optimizer: the layout has the optimizer on the host too</source>
        <translation>offload_param 未与 offload_optimizer 同用：布局的优化器也放在主机上</translation>
    </message>
    <message>
        <source>How a cnn keeps its activations for the backward (Gist). kept: as they are. lossless: 4 bits for each four numbers that are pooled, which is all that their backward needs; maps that a ReLU made and that are convolved again without their zeros, from the moment that the forward has read them, where that takes less. lossy-16, lossy-10, lossy-8: beside the 4 bits, what is convolved takes so many bits a number from the moment that the forward has read it.</source>
        <translation>cnn 如何为反向保留激活值（Gist）。kept：原样保留。lossless：每四个被池化的数用 4 位，其反向只需要这些；由 ReLU 产生并再次参与卷积的特征图，从前向读过之后起不保存其中的零，前提是这样占用更少。lossy-16、lossy-10、lossy-8：除这 4 位之外，被卷积的数在前向读过之后每个只占这么多位。</translation>
    </message>
    <message>
        <source>the optimizer alone on the host</source>
        <translation>只把优化器放在主机上</translation>
    </message>
    <message>
        <source>it moves parameters, gradients and the optimizer&apos;s state together</source>
        <translation>它把参数、梯度和优化器状态一起移走</translation>
    </message>
    <message>
        <source>none; or parameters with parallel.zero 3</source>
        <translation>none；或与 parallel.zero 3 同用的 parameters</translation>
    </message>
    <message>
        <source>parameters on the host of one replica</source>
        <translation>把唯一副本的参数放在主机上</translation>
    </message>
    <message>
        <source>its offloading is a part of FSDP, which divides them</source>
        <translation>它的卸载是 FSDP 的一部分，而 FSDP 会划分参数</translation>
    </message>
    <message>
        <source>none; or parallel.data of at least 2</source>
        <translation>none；或 parallel.data 至少为 2</translation>
    </message>
    <message>
        <source>training.enable_cpu_offload: the layout&apos;s parameters lie on the host with ZeRO 3 alone, and stay on the device</source>
        <translation>training.enable_cpu_offload：布局只在 ZeRO 3 时把参数放在主机上，这里它们留在设备上</translation>
    </message>
    <message>
        <source>--recompute-modules moe_act: the layout computes the activations of other blocks again, too</source>
        <translation>--recompute-modules moe_act：布局也会重新计算其他块的激活函数结果</translation>
    </message>
    <message>
        <source>--recompute-modules {}: the layout has no such part to compute again</source>
        <translation>--recompute-modules {}：布局没有可以重新计算的这一部分</translation>
    </message>
    <message>
        <source>Recompute parts</source>
        <translation>重计算部分</translation>
    </message>
    <message>
        <source>The parts of a block that recompute parts computes again, each without the rest. core: attention&apos;s probabilities. heads: the queries, keys and values that a latent attention makes of its latents. norms: what the norm in front of each half makes. activations: what the activation between two products makes. feed-forward: everything but the input of a feed-forward block. experts: everything but the input of a layer with experts. Recompute selective, latent, pointwise and mlp are short for core, for heads, for norms and activations, and for feed-forward and experts.</source>
        <translation>重计算方式为 parts 时重新计算块的哪些部分，其余部分不重算。core：注意力的概率。heads：潜在注意力由其潜在向量生成的查询、键和值。norms：每一半之前的归一化所产生的内容。activations：两个乘积之间的激活函数所产生的内容。feed-forward：前馈块中除输入以外的一切。experts：带专家的层中除输入以外的一切。重计算方式 selective、latent、pointwise 和 mlp 分别是 core，heads，norms 与 activations，feed-forward 与 experts 的简写。</translation>
    </message>
    <message>
        <source>Which activations a backward computes again instead of keeping them. selective: attention&apos;s probabilities. full: everything but each block&apos;s input. every: everything but the inputs of segments of some blocks. sqrt: everything but the inputs of segments as long as the root of the stage&apos;s blocks. mlp: everything but the input of each block&apos;s second half, the feed-forward block or the layer with experts; attention keeps what it needs. latent: the queries, keys and values that a latent attention makes of its latents. pointwise: what the norms in front of attention and feed-forward block make, and the activations. operations: besides, every second matrix product of a block; what attention, exchanges and the other products make stays (torchtitan&apos;s selective checkpointing by operation). parts: what is chosen among the parts of a block. ZeRO 3 gathers the weights of a segment once for both.</source>
        <translation>反向重新计算哪些激活值而不保留。selective：注意力的概率。full：除每个块的输入之外的一切。every：除由若干块组成的片段的输入之外的一切。sqrt：片段长度为阶段块数的平方根，除片段输入之外的一切。mlp：除每个块后半部分（前馈块或含专家的层）的输入之外的一切，注意力保留其所需。latent：潜在注意力由潜向量生成的查询、键和值。pointwise：注意力和前馈块之前的归一化结果，以及激活函数。operations：此外还有块中每隔一个矩阵乘积；注意力、交换和其余乘积的结果保留（torchtitan 的按运算选择性检查点）。parts：在块的各部分中所选的那些。ZeRO 3 为两者只收集一次片段的权重。</translation>
    </message>
    <message>
        <source>a list of some of {}</source>
        <translation>由 {} 中的若干项组成的列表</translation>
    </message>
    <message>
        <source>a list of words</source>
        <translation>词的列表</translation>
    </message>
    <message>
        <source>a list without activations</source>
        <translation>不含 activations 的列表</translation>
    </message>
    <message>
        <source>a list without {}</source>
        <translation>不含 {} 的列表</translation>
    </message>
    <message>
        <source>activations beside every block that has one</source>
        <translation>activations 与所有带激活函数的块同时列出</translation>
    </message>
    <message>
        <source>memory.recompute none, full, sqrt or every</source>
        <translation>memory.recompute 取 none、full、sqrt 或 every</translation>
    </message>
    <message>
        <source>{}; or memory.recompute none</source>
        <translation>{}；或 memory.recompute 取 none</translation>
    </message>
    <message>
        <source>experts, and the model has none</source>
        <translation>列出了 experts，而模型没有专家</translation>
    </message>
    <message>
        <source>feed-forward, and every block has experts</source>
        <translation>列出了 feed-forward，而每个块都有专家</translation>
    </message>
    <message>
        <source>none, selective, mlp, latent, full or every; or parts without activations</source>
        <translation>none、selective、mlp、latent、full 或 every；或者不含 activations 的 parts</translation>
    </message>
    <message>
        <source>nothing would be computed again</source>
        <translation>这样什么都不会重新计算</translation>
    </message>
    <message>
        <source>only where whole blocks, their second halves or operations between are computed again: recompute full, every, sqrt, mlp or operations, or parts with feed-forward or experts</source>
        <translation>仅在重计算整个块、其后半部分或其间的操作时：重计算方式为 full、every、sqrt、mlp、operations，或含 feed-forward 或 experts 的 parts</translation>
    </message>
    <message>
        <source>only with recompute parts</source>
        <translation>仅在重计算方式为 parts 时</translation>
    </message>
    <message>
        <source>recompute parts, and no part is named</source>
        <translation>重计算方式为 parts，而没有列出任何部分</translation>
    </message>
    <message>
        <source>they are computed again with the blocks that hold them</source>
        <translation>它们会随所在的块一起重新计算</translation>
    </message>
    <message>
        <source>Ranks that divide each layer&apos;s matrices among themselves, by whole heads and columns; where these do not divide evenly, the last rank holds one of the larger shares.</source>
        <translation>共同切分每一层矩阵的 rank 数，以完整的头和列为单位切分；除不尽时，最后一个 rank 持有较大的份额之一。</translation>
    </message>
    <message>
        <source>each member of a tensor group holds at least one of them, and none what another holds</source>
        <translation>张量组的每个成员至少持有其中一个，而且没有成员持有另一成员所持有的</translation>
    </message>
    <message>
        <source>the last rank of each tensor group holds {} of {}, {} more than an even share</source>
        <translation>每个张量组的最后一个 rank 持有 {1} 中的 {0}，比平均份额多 {2}</translation>
    </message>
    <message>
        <source>the ranks of its tensor groups hold equal shares</source>
        <translation>它的张量组的各 rank 持有相等的份额</translation>
    </message>
    <message>
        <source>unequal shares of a tensor group: the last rank has up to {} more operations than if all shares were equal, and the others wait for it in each layer</source>
        <translation>张量组的份额不相等：最后一个 rank 的运算比各份额相等时最多多 {}，其他 rank 在每一层都等待它</translation>
    </message>
    <message>
        <source>{} columns of a feed-forward block</source>
        <translation>一个前馈块的 {} 列</translation>
    </message>
    <message>
        <source>{} columns of an expert</source>
        <translation>一个专家的 {} 列</translation>
    </message>
    <message>
        <source>{} columns of the shared experts</source>
        <translation>共享专家的 {} 列</translation>
    </message>
    <message>
        <source>{} heads</source>
        <translation>{} 个头</translation>
    </message>
    <message>
        <source>{} heads of keys</source>
        <translation>{} 个键头</translation>
    </message>
    <message>
        <source>{} members cannot divide {}</source>
        <translation>{} 个成员无法分担 {}</translation>
    </message>
    <message>
        <source>  group {}, {}: the last was {}</source>
        <translation>  组 {}，{}：最后一次是 {}</translation>
    </message>
    <message>
        <source>  rank {}: in {} of group {}</source>
        <translation>  rank {0}：在组 {2} 的 {1} 中</translation>
    </message>
    <message>
        <source>  {}: {}</source>
        <translation>  {}：{}</translation>
    </message>
    <message>
        <source>1 beta is listed</source>
        <translation>列出了 1 个 beta</translation>
    </message>
    <message>
        <source>1 call</source>
        <translation>1 次调用</translation>
    </message>
    <message>
        <source>1 dump of {}, {}, format {}</source>
        <translation>1 份转储：{}，{}，格式 {}</translation>
    </message>
    <message>
        <source>1 head does not divide into {} shares</source>
        <translation>1 个头无法分成 {} 份</translation>
    </message>
    <message>
        <source>1 layer does not divide into {} stages</source>
        <translation>1 层无法平分为 {} 个阶段</translation>
    </message>
    <message>
        <source>1 microbatch on {} ranks</source>
        <translation>1 个微批次在 {} 个 rank 上</translation>
    </message>
    <message>
        <source>1 microbatch, as a step of the layout has; the schedule has {}</source>
        <translation>1 个微批次，与布局的一步相同；调度有 {} 个</translation>
    </message>
    <message>
        <source>1 step</source>
        <translation>1 步</translation>
    </message>
    <message>
        <source>All paced experiments of this lesson are slowed by one factor, {} ×: whichever layout takes its devices less time ends first. Times and rates are those of the devices.</source>
        <translation>本课所有定速实验都以同一倍数放慢：{} ×。哪个布局在其设备上用时更少，哪个就先结束。时间和速率都是设备上的。</translation>
    </message>
    <message>
        <source>Every rank has asked for what is under way: it is slow, or a link or a device fails.</source>
        <translation>每个 rank 都已发起进行中的通信：它很慢，或者链路或设备出了故障。</translation>
    </message>
    <message>
        <source>Every rank that others wait for waits itself: groups are called in different orders.</source>
        <translation>被等待的每个 rank 自己也在等待：各组的调用顺序不同。</translation>
    </message>
    <message>
        <source>No collective and no message is under way: nothing hangs.</source>
        <translation>没有进行中的集合通信或消息：没有挂起。</translation>
    </message>
    <message>
        <source>Ranks of group {} ask for different collectives under one number.</source>
        <translation>组 {} 的各 rank 在同一编号下发起了不同的集合通信。</translation>
    </message>
    <message>
        <source>The others wait for rank {}, which waits for nobody.</source>
        <translation>其他 rank 在等待 rank {}，而它不等待任何 rank。</translation>
    </message>
    <message>
        <source>The others wait for {}, of which there is no dump.</source>
        <translation>其他 rank 在等待 {}，而没有它的转储。</translation>
    </message>
    <message>
        <source>The others wait for {}, which wait for nobody.</source>
        <translation>其他 rank 在等待 {}，而它们不等待任何 rank。</translation>
    </message>
    <message>
        <source>There is none</source>
        <translation>一个也没有</translation>
    </message>
    <message>
        <source>You guessed right: {}.</source>
        <translation>您猜对了：{}。</translation>
    </message>
    <message>
        <source>You guessed {}, measured: {}. That is near enough.</source>
        <translation>您猜 {}，实测 {}。已经足够接近。</translation>
    </message>
    <message>
        <source>You guessed {}, measured: {}. That is {} too high.</source>
        <translation>您猜 {}，实测 {}。高了 {}。</translation>
    </message>
    <message>
        <source>You guessed {}, measured: {}. That is {} too low.</source>
        <translation>您猜 {}，实测 {}。低了 {}。</translation>
    </message>
    <message>
        <source>You guessed: {}. The run says: {}.</source>
        <translation>您猜的是：{}。运行的结果是：{}。</translation>
    </message>
    <message>
        <source>a block has no end</source>
        <translation>块没有结尾</translation>
    </message>
    <message>
        <source>a chapter has no title</source>
        <translation>某一章没有标题</translation>
    </message>
    <message>
        <source>a choice covers nothing</source>
        <translation>选项不包含任何值</translation>
    </message>
    <message>
        <source>a choice has no bound</source>
        <translation>选项没有界限</translation>
    </message>
    <message>
        <source>a choice says nothing</source>
        <translation>选项没有文字</translation>
    </message>
    <message>
        <source>a figure has no end</source>
        <translation>数字没有结尾</translation>
    </message>
    <message>
        <source>a figure has no such form</source>
        <translation>数字没有这种形式</translation>
    </message>
    <message>
        <source>a figure is of no experiment of this lesson</source>
        <translation>数字所属的实验不在本课中</translation>
    </message>
    <message>
        <source>a layout is no JSON object</source>
        <translation>布局不是 JSON 对象</translation>
    </message>
    <message>
        <source>a lesson asks too much</source>
        <translation>课程的问题过多</translation>
    </message>
    <message>
        <source>a lesson has no title</source>
        <translation>课程没有标题</translation>
    </message>
    <message>
        <source>a lesson has too many experiments</source>
        <translation>课程的实验过多</translation>
    </message>
    <message>
        <source>a line of {} after its last line</source>
        <translation>在最后一行之后加一行 {}</translation>
    </message>
    <message>
        <source>a question asks for what is measured</source>
        <translation>问题问的是实测值</translation>
    </message>
    <message>
        <source>a question has no name or no text</source>
        <translation>问题没有名称或没有文字</translation>
    </message>
    <message>
        <source>a question has no reveal</source>
        <translation>问题没有揭晓部分</translation>
    </message>
    <message>
        <source>a question is of no experiment of this lesson</source>
        <translation>问题所属的实验不在本课中</translation>
    </message>
    <message>
        <source>a slider has no range</source>
        <translation>滑块没有范围</translation>
    </message>
    <message>
        <source>a step has no name or no text</source>
        <translation>步骤没有名称或没有文字</translation>
    </message>
    <message>
        <source>a step is in no experiment of this lesson</source>
        <translation>步骤所属的实验不在本课中</translation>
    </message>
    <message>
        <source>a step waits for no experiment of this lesson</source>
        <translation>步骤所等待的实验不在本课中</translation>
    </message>
    <message>
        <source>a value in the figure&apos;s unit: {} {}</source>
        <translation>以该数字的单位表示的值：{} {}</translation>
    </message>
    <message>
        <source>all completed</source>
        <translation>全部已完成</translation>
    </message>
    <message>
        <source>an experiment has no name</source>
        <translation>实验没有名称</translation>
    </message>
    <message>
        <source>an experiment stands twice</source>
        <translation>一个实验出现了两次</translation>
    </message>
    <message>
        <source>asked for</source>
        <translation>已发起</translation>
    </message>
    <message>
        <source>bounds that grow, and no bound in the last choice alone</source>
        <translation>界限递增，且只有最后一个选项没有界限</translation>
    </message>
    <message>
        <source>choices do not cover every value</source>
        <translation>选项没有覆盖所有值</translation>
    </message>
    <message>
        <source>completed</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>did you mean {}? {}</source>
        <translation>您是指 {} 吗？{}</translation>
    </message>
    <message>
        <source>each once</source>
        <translation>每个一次</translation>
    </message>
    <message>
        <source>experts over 1 rank in {} parts of each tensor group</source>
        <translation>专家分布在 1 个 rank 上，而每个张量组有 {} 个部分</translation>
    </message>
    <message>
        <source>group {}, {}: {}</source>
        <translation>组 {}，{}：{}</translation>
    </message>
    <message>
        <source>imported {} events of {} from {}, {}, {}</source>
        <translation>从 {2} 导入了 {1} 的 {0} 个事件，{3}，{4}</translation>
    </message>
    <message>
        <source>is bubble: each rank is idle while {} fills and drains {} ranks with {}, which takes {} of the time between the first forward and the last backward even if all else were perfect</source>
        <translation>是气泡：{0} 以 {2}填充和排空 {1} 个 rank 时，每个 rank 都会空闲；即使其他一切都理想，这也占第一次前向到最后一次反向之间的 {3}</translation>
    </message>
    <message>
        <source>its first line is another</source>
        <translation>第一行不是标题</translation>
    </message>
    <message>
        <source>messages</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>no dump</source>
        <translation>没有转储</translation>
    </message>
    <message>
        <source>no experts to keep whole</source>
        <translation>没有可保持完整的专家</translation>
    </message>
    <message>
        <source>no run measures this figure</source>
        <translation>没有运行会实测这个数字</translation>
    </message>
    <message>
        <source>not asked for, no collective of the group is recorded</source>
        <translation>未发起，没有该组任何集合通信的记录</translation>
    </message>
    <message>
        <source>not asked for, the last was {}</source>
        <translation>未发起，最后一次是 {}</translation>
    </message>
    <message>
        <source>nothing tells when a step is done</source>
        <translation>没有说明步骤何时完成</translation>
    </message>
    <message>
        <source>nothing, or more than one thing, is to be guessed</source>
        <translation>没有要猜的，或不止一项要猜</translation>
    </message>
    <message>
        <source>of rank {} there is no dump</source>
        <translation>没有 rank {} 的转储</translation>
    </message>
    <message>
        <source>one that shardlab learn --figures calls measured</source>
        <translation>shardlab learn --figures 标为实测的数字</translation>
    </message>
    <message>
        <source>rank {}</source>
        <translation>rank {}</translation>
    </message>
    <message>
        <source>rank {} waits in no {}</source>
        <translation>rank {} 没有在 {} 中等待</translation>
    </message>
    <message>
        <source>rank {} waits in {}</source>
        <translation>rank {} 在 {} 中等待</translation>
    </message>
    <message>
        <source>ranks {}</source>
        <translation>rank {}</translation>
    </message>
    <message>
        <source>shardlab help layout-fields lists them</source>
        <translation>shardlab help layout-fields 列出所有字段</translation>
    </message>
    <message>
        <source>started</source>
        <translation>已开始</translation>
    </message>
    <message>
        <source>the chapter &quot;{}&quot; has no lesson</source>
        <translation>章节 &quot;{}&quot; 没有课程</translation>
    </message>
    <message>
        <source>the chapters of the lessons are damaged</source>
        <translation>课程的章节列表已损坏</translation>
    </message>
    <message>
        <source>the checkpoint has done 1 step and the layout asks for {}</source>
        <translation>检查点已完成 1 步，而布局要求 {} 步</translation>
    </message>
    <message>
        <source>the figure alone, without a word after it</source>
        <translation>只写数字的名称，后面不加词</translation>
    </message>
    <message>
        <source>the id of a view: timeline</source>
        <translation>视图的标识：timeline</translation>
    </message>
    <message>
        <source>the layout of experiment {} is not legal</source>
        <translation>实验 {} 的布局不合法</translation>
    </message>
    <message>
        <source>the lesson &quot;{}&quot; stands in two places</source>
        <translation>课程 &quot;{}&quot; 出现在两处</translation>
    </message>
    <message>
        <source>the lesson ends within it</source>
        <translation>课程在块内结束</translation>
    </message>
    <message>
        <source>the lowest block is dense, and the highest with experts is the {}.</source>
        <translation>最低的 1 个块是稠密的，而最高的有专家的块是第 {} 个</translation>
    </message>
    <message>
        <source>the same figure of two experiments</source>
        <translation>两个实验的同一个数字</translation>
    </message>
    <message>
        <source>there are none</source>
        <translation>一个也没有</translation>
    </message>
    <message>
        <source>there is no such experiment above</source>
        <translation>上文没有这个实验</translation>
    </message>
    <message>
        <source>there is no such field of a layout</source>
        <translation>布局没有这个字段</translation>
    </message>
    <message>
        <source>there is no such figure</source>
        <translation>没有这个数字</translation>
    </message>
    <message>
        <source>there is no such lesson</source>
        <translation>没有这节课</translation>
    </message>
    <message>
        <source>there is nothing to choose from</source>
        <translation>没有可选的内容</translation>
    </message>
    <message>
        <source>this is no condition</source>
        <translation>这不是条件</translation>
    </message>
    <message>
        <source>this is no figure</source>
        <translation>这不是数字的写法</translation>
    </message>
    <message>
        <source>this is no guess</source>
        <translation>这不是猜测</translation>
    </message>
    <message>
        <source>this is no view</source>
        <translation>这不是视图</translation>
    </message>
    <message>
        <source>this stands twice</source>
        <translation>这出现了两次</translation>
    </message>
    <message>
        <source>two experiments have one name</source>
        <translation>两个实验同名</translation>
    </message>
    <message>
        <source>two figures that are divided are of one kind</source>
        <translation>相除的两个数字必须属于同一种</translation>
    </message>
    <message>
        <source>two of them or more, and no bound in the last choice: {}</source>
        <translation>两个或更多，且最后一个没有界限：{}</translation>
    </message>
    <message>
        <source>two values in the figure&apos;s unit, the smaller first: 0 to {}</source>
        <translation>两个以该数字的单位表示的值，小的在前：0 to {}</translation>
    </message>
    <message>
        <source>your guess</source>
        <translation>您的猜测</translation>
    </message>
    <message>
        <source>your guess {}</source>
        <translation>您的猜测 {}</translation>
    </message>
    <message>
        <source>{0} with {1}, {0} with choices, {2}, or {3}</source>
        <translation>{0} 加 {1}、{0} 加若干选项、{2} 或 {3}</translation>
    </message>
    <message>
        <source>{:.1f} points</source>
        <translation>{} 个百分点</translation>
    </message>
    <message>
        <source>{} (guessed {})</source>
        <translation>{}（猜测 {}）</translation>
    </message>
    <message>
        <source>{} Measured: {}.</source>
        <translation>{}实测：{}。</translation>
    </message>
    <message>
        <source>{} alone</source>
        <translation>只写 {}</translation>
    </message>
    <message>
        <source>{} calls</source>
        <translation>{} 次调用</translation>
    </message>
    <message>
        <source>{} cannot be scheduled with {} and {}</source>
        <translation>{} 无法用 {} 和 {} 调度</translation>
    </message>
    <message>
        <source>{} dumps of {}, {}, format {}</source>
        <translation>{} 份转储：{}，{}，格式 {}</translation>
    </message>
    <message>
        <source>{} of {}</source>
        <translation>{}，{}</translation>
    </message>
    <message>
        <source>{} on one line</source>
        <translation>{}，写在一行内</translation>
    </message>
    <message>
        <source>{} steps</source>
        <translation>{} 步</translation>
    </message>
    <message>
        <source>{} {} of {}</source>
        <translation>{} {}，{}</translation>
    </message>
    <message>
        <source>{} {}: what a reader chooses</source>
        <translation>{} {}：读者所选的内容</translation>
    </message>
    <message>
        <source>{}, asking for {} instead</source>
        <translation>{}，但发起的是 {}</translation>
    </message>
    <message>
        <source>{}, at {}</source>
        <translation>{}，位置 {}</translation>
    </message>
    <message>
        <source>{}, each lesson once</source>
        <translation>{}，每节课一次</translation>
    </message>
    <message>
        <source>{}, each with a colon; a line that goes on begins with two spaces</source>
        <translation>{}，各带一个冒号；续行以两个空格开头</translation>
    </message>
    <message>
        <source>{}, line {}</source>
        <translation>{}，第 {} 行</translation>
    </message>
    <message>
        <source>{}, or != &lt; &lt;= &gt; &gt;= in place of =; {}; {}</source>
        <translation>{}，其中 = 也可为 != &lt; &lt;= &gt; &gt;=；{}；{}</translation>
    </message>
    <message>
        <source>{}, or {}; a name is of a–z, 0–9, - and _</source>
        <translation>{}，或 {}；名称由 a–z、0–9、- 和 _ 组成</translation>
    </message>
    <message>
        <source>{}, since {}</source>
        <translation>{}，始于 {}</translation>
    </message>
    <message>
        <source>{}, {}, and : what it shows; a name is of a–z, 0–9, - and _</source>
        <translation>{}、{}，以及 : 加它展示的内容；名称由 a–z、0–9、- 和 _ 组成</translation>
    </message>
    <message>
        <source>{}. Legal: {}</source>
        <translation>{}。合法取值：{}</translation>
    </message>
    <message>
        <source>{}: a step would take {}, {} less</source>
        <translation>{}：一步将需要 {}，少 {}</translation>
    </message>
    <message>
        <source>{}: bubble of two experiments or more, with commas between them</source>
        <translation>{}：两个或更多实验的 bubble，以逗号分隔</translation>
    </message>
    <message>
        <source>{}: what is said once it is measured</source>
        <translation>{}：实测之后要说的话</translation>
    </message>
    <message>
        <source>{}; a name is of a–z, 0–9, - and _</source>
        <translation>{}；名称由 a–z、0–9、- 和 _ 组成</translation>
    </message>
    <message>
        <source>{}; and {} more</source>
        <translation>{}；以及另外 {} 个</translation>
    </message>
    <message>
        <source>{}; guessed {}</source>
        <translation>{}；猜测 {}</translation>
    </message>
    <message>
        <source>{}; the last call of any group at {}</source>
        <translation>{}；在任何组中的最后一次调用位于 {}</translation>
    </message>
    <message>
        <source>– (run it)</source>
        <translation>–（请运行）</translation>
    </message>
    <message>
        <source>1 column of a feed-forward block</source>
        <translation>一个前馈块的 1 列</translation>
    </message>
    <message>
        <source>1 column of an expert</source>
        <translation>一个专家的 1 列</translation>
    </message>
    <message>
        <source>1 head</source>
        <translation>1 个头</translation>
    </message>
    <message>
        <source>1 head of keys</source>
        <translation>1 个键头</translation>
    </message>
    <message>
        <source>Llama 4 Maverick in bf16 on 512 H100, data 128 × tensor 4, 128 experts over 128 ranks in every second block, as NVIDIA recommends; the published model weighs experts by a sigmoid, and three of four layers attend within 8192 tokens; to plan</source>
        <translation>Llama 4 Maverick，bf16，512 块 H100，数据 128 × 张量 4，每两个块中有一个带 128 个专家，分布在 128 个 rank 上，按 NVIDIA 的建议；公布的模型用 sigmoid 给专家加权，每四层中有三层只在 8192 个 token 之内做注意力；用于规划</translation>
    </message>
    <message>
        <source>Llama 4 Scout in bf16 on 256 H100, data 64 × tensor 4, 16 experts over 16 ranks and a shared one, one of them a token, as NVIDIA recommends; the published model weighs experts by a sigmoid, and three of four layers attend within 8192 tokens; to plan</source>
        <translation>Llama 4 Scout，bf16，256 块 H100，数据 64 × 张量 4，16 个专家分布在 16 个 rank 上，另有一个共享专家，每个 token 用其中一个，按 NVIDIA 的建议；公布的模型用 sigmoid 给专家加权，每四层中有三层只在 8192 个 token 之内做注意力；用于规划</translation>
    </message>
    <message>
        <source>Exchange format</source>
        <translation>交换格式</translation>
    </message>
    <message>
        <source>a modelled software stack</source>
        <translation>所模拟的软件栈</translation>
    </message>
    <message>
        <source>a rank keeps 4 bytes a parameter of what it lost, and 4 of its part of the sums, which are rounded once more before they come back</source>
        <translation>rank 为它所损失的部分每个参数保留 4 字节，为它那部分和再保留 4 字节；这些和在发回之前再舍入一次</translation>
    </message>
    <message>
        <source>a rank keeps 4 bytes a parameter of what it lost; sums stay in full, as with ZeRO only their owner updates with them</source>
        <translation>rank 为它所损失的部分每个参数保留 4 字节；和保持完整，因为用 ZeRO 时只有所有者用它们更新</translation>
    </message>
    <message>
        <source>a ring</source>
        <translation>环</translation>
    </message>
    <message>
        <source>a tensor group of {} ranks</source>
        <translation>{} 个 rank 的张量组</translation>
    </message>
    <message>
        <source>cluster.pace.stack shardlab</source>
        <translation>cluster.pace.stack shardlab</translation>
    </message>
    <message>
        <source>only with the exchange allreduce, or with easgd in context groups</source>
        <translation>仅在交换方式为 allreduce 时，或在带上下文组的 easgd 中</translation>
    </message>
    <message>
        <source>each of its hops adds up, and codes would have to be made anew in each</source>
        <translation>它的每一跳都做加法，每次都得重新生成编码</translation>
    </message>
    <message>
        <source>full; or {}</source>
        <translation>full；或 {}</translation>
    </message>
    <message>
        <source>gradients travel in {}: with the scale of each {} of them {:.4g} bits each instead of {}; what rounding loses is kept in fp32 and added to the next step&apos;s</source>
        <translation>梯度以 {} 传送：连同每 {} 个共用的缩放因子，每个 {:.4g} 位，而不是 {} 位；舍入所损失的部分以 fp32 保留，并加到下一步的梯度上</translation>
    </message>
    <message>
        <source>in {}, all-to-all and all-gather</source>
        <translation>{}，all-to-all 和 all-gather</translation>
    </message>
    <message>
        <source>its members hold some weights in common, and would round them in blocks with different neighbours</source>
        <translation>它的成员共同持有一些权重，会在邻居不同的块中舍入它们</translation>
    </message>
    <message>
        <source>one replica</source>
        <translation>一个副本</translation>
    </message>
    <message>
        <source>parallel.all_reduce backend</source>
        <translation>parallel.all_reduce backend</translation>
    </message>
    <message>
        <source>parallel.data of at least 2</source>
        <translation>parallel.data 至少为 2</translation>
    </message>
    <message>
        <source>parallel.exchange allreduce</source>
        <translation>parallel.exchange allreduce</translation>
    </message>
    <message>
        <source>output of the exchanged heads</source>
        <translation>所交换各头的输出</translation>
    </message>
    <message>
        <source>parallel.tensor 1</source>
        <translation>parallel.tensor 1</translation>
    </message>
    <message>
        <source>the exchange {}</source>
        <translation>交换方式 {}</translation>
    </message>
    <message>
        <source>there is no other replica to send gradients to</source>
        <translation>没有别的副本可以发送梯度</translation>
    </message>
    <message>
        <source>what is known of its times is about gradients in full</source>
        <translation>所知的它的时间针对完整的梯度</translation>
    </message>
    <message>
        <source>what is written for {} reduces gradients in a number format, without error feedback</source>
        <translation>为 {} 写出的内容以数值格式归约梯度，没有误差反馈</translation>
    </message>
    <message>
        <source>codes are made for gradients that all replicas send to all</source>
        <translation>编码是为所有副本发给所有副本的梯度而设的</translation>
    </message>
    <message>
        <source>a rank keeps 4 bytes a parameter of what it lost, and more than 4 of its part of each copy, whose sums are rounded twice more on their way between the copies</source>
        <translation>rank 为它所损失的部分每个参数保留 4 字节，并为各份拷贝中属于它的部分保留 4 字节以上；这些和在拷贝之间传送时再舍入两次</translation>
    </message>
    <message>
        <source>it is no database, or its first page is damaged</source>
        <translation>它不是数据库，或者首页已损坏</translation>
    </message>
    <message>
        <source>it may only be read</source>
        <translation>它只能读取</translation>
    </message>
    <message>
        <source>it cannot be opened</source>
        <translation>无法打开它</translation>
    </message>
    <message>
        <source>the disk does not read or write it</source>
        <translation>磁盘无法读写它</translation>
    </message>
    <message>
        <source>no such table: {}</source>
        <translation>没有这个表：“{}”</translation>
    </message>
    <message>
        <source>no such column: {}</source>
        <translation>没有这一列：“{}”</translation>
    </message>
    <message>
        <source>no such function: {}</source>
        <translation>没有这个函数：“{}”</translation>
    </message>
    <message>
        <source>syntax error near {}</source>
        <translation>在 {} 附近有语法错误</translation>
    </message>
    <message>
        <source>it is not complete</source>
        <translation>它不完整</translation>
    </message>
    <message>
        <source>it nests deeper than 64 levels</source>
        <translation>它的嵌套超过 64 层</translation>
    </message>
    <message>
        <source>{} is {}, which is no measured figure</source>
        <translation>“{}”是“{}”，不是测得的数值</translation>
    </message>
    <message>
        <source>blocks is empty</source>
        <translation>&apos;blocks&apos; 为空</translation>
    </message>
    <message>
        <source>it has version {}, this program reads versions 1 to {}</source>
        <translation>它的版本是 {}，本程序能读版本 1 到 {}</translation>
    </message>
    <message>
        <source>this is no profile</source>
        <translation>这不是测量档案</translation>
    </message>
    <message>
        <source>what shardlab profile writes</source>
        <translation>shardlab profile 写出的内容</translation>
    </message>
    <message>
        <source>the text ends before the value does</source>
        <translation>文本在值结束之前就结束了</translation>
    </message>
    <message>
        <source>unexpected {}</source>
        <translation>意外的内容：“{}”</translation>
    </message>
    <message>
        <source>its text is not UTF-8</source>
        <translation>它的文本不是 UTF-8</translation>
    </message>
    <message>
        <source>a text has a control character in it that is not escaped</source>
        <translation>一段文本中有未转义的控制字符</translation>
    </message>
    <message>
        <source>no value begins with the character there</source>
        <translation>没有值以该处的字符开头</translation>
    </message>
    <message>
        <source>a number is not written as JSON has it</source>
        <translation>有一个数不是 JSON 的写法</translation>
    </message>
    <message>
        <source>a text is not written as JSON has it</source>
        <translation>有一段文本不是 JSON 的写法</translation>
    </message>
    <message>
        <source>it has no {}</source>
        <translation>它没有 {}</translation>
    </message>
    <message>
        <source>a value has the wrong type: {}</source>
        <translation>一个值的类型不对：“{}”</translation>
    </message>
    <message>
        <source>{} says “{}”</source>
        <translation>{} 的原话是“{}”</translation>
    </message>
    <message>
        <source>{} says “{} …”</source>
        <translation>{} 的原话是“{} …”</translation>
    </message>
    <message>
        <source>cannot read a forwarder&apos;s setup</source>
        <translation>无法读取转发进程的设置</translation>
    </message>
    <message>
        <source>standard input</source>
        <translation>标准输入</translation>
    </message>
    <message>
        <source>it is started by shardlab, not by hand</source>
        <translation>它由 shardlab 启动，不能手动启动</translation>
    </message>
    <message>
        <source>Experiment {}</source>
        <translation>实验 {}</translation>
    </message>
    <message>
        <source>like {}, but {}</source>
        <translation>同 {}，但 {}</translation>
    </message>
    <message>
        <source>not run</source>
        <translation>未运行</translation>
    </message>
    <message>
        <source>Guess.</source>
        <translation>猜一猜。</translation>
    </message>
    <message>
        <source>Between {} and {}: {}</source>
        <translation>在 {} 与 {} 之间：{}</translation>
    </message>
    <message>
        <source>Measured: {}</source>
        <translation>实测：{}</translation>
    </message>
    <message>
        <source>In Design, with {}:</source>
        <translation>在“设计”中，用 {}：</translation>
    </message>
    <message>
        <source>Shardlab {}. Figures without a word beside them were measured by runs of this lesson&apos;s experiments.</source>
        <translation>Shardlab {}。旁边没有说明的数字，都由本课实验的运行测得。</translation>
    </message>
    <message>
        <source>has no pace to change</source>
        <translation>没有可改变的节奏</translation>
    </message>
    <message>
        <source>the layout is not paced</source>
        <translation>布局没有节奏</translation>
    </message>
    <message>
        <source>a layout with /cluster/pace</source>
        <translation>带有 /cluster/pace 的布局</translation>
    </message>
    <message>
        <source>has no pace to take</source>
        <translation>没有可采用的节奏</translation>
    </message>
    <message>
        <source>that run went at full speed</source>
        <translation>那次运行是全速的</translation>
    </message>
    <message>
        <source>a paced run</source>
        <translation>按节奏放慢的运行</translation>
    </message>
    <message>
        <source>will not replace</source>
        <translation>不会替换</translation>
    </message>
    <message>
        <source>it exists</source>
        <translation>它已存在</translation>
    </message>
    <message>
        <source>another --out, or --force</source>
        <translation>另一个 --out，或 --force</translation>
    </message>
    <message>
        <source>the run has no checkpoint</source>
        <translation>本次运行没有检查点</translation>
    </message>
    <message>
        <source>the run failed</source>
        <translation>运行失败</translation>
    </message>
    <message>
        <source>shardlab: {}</source>
        <translation>shardlab：{}</translation>
    </message>
    <message>
        <source>note: {}</source>
        <translation>注意：{}</translation>
    </message>
    <message>
        <source>--fp8-recipe delayed with experts over several ranks: the layout scales by present values</source>
        <translation>--fp8-recipe delayed 与分布在多个 rank 上的专家：布局按当前的值缩放</translation>
    </message>
    <message>
        <source>--moe-layer-freq {}: the layout has experts in every block</source>
        <translation>--moe-layer-freq {}：布局在每个块里都有专家</translation>
    </message>
    <message>
        <source>--moe-router-group-topk {} with softmax: the layout chooses among all experts</source>
        <translation>--moe-router-group-topk {} 与 softmax：布局在所有专家中选择</translation>
    </message>
    <message>
        <source>--moe-router-load-balancing-type {}: the layout balances the tokens of each sample</source>
        <translation>--moe-router-load-balancing-type {}：布局均衡每个样本的 token</translation>
    </message>
    <message>
        <source>--moe-router-topk-scaling-factor {} with softmax: the layout scales nothing</source>
        <translation>--moe-router-topk-scaling-factor {} 与 softmax：布局不缩放</translation>
    </message>
    <message>
        <source>--moe-shared-expert-gate: the layout&apos;s shared experts have no gate</source>
        <translation>--moe-shared-expert-gate：布局的共享专家没有门控</translation>
    </message>
    <message>
        <source>--moe-shared-expert-intermediate-size {}: the layout&apos;s shared experts are as wide as the others, {}</source>
        <translation>--moe-shared-expert-intermediate-size {}：布局的共享专家与其他专家一样宽，{}</translation>
    </message>
    <message>
        <source>--mscale {} and --mscale-all-dim {}: the layout has 1 for both</source>
        <translation>--mscale {} 和 --mscale-all-dim {}：布局中两者都是 1</translation>
    </message>
    <message>
        <source>0; or megatron-bridge</source>
        <translation>0；或 megatron-bridge</translation>
    </message>
    <message>
        <source>a group counts with its {} best scores; the layout&apos;s with {}</source>
        <translation>一个组按它最好的 {} 个得分计；布局的按 {} 个</translation>
    </message>
    <message>
        <source>a softmax over one score</source>
        <translation>对一个得分做 softmax</translation>
    </message>
    <message>
        <source>at least 2</source>
        <translation>至少 2</translation>
    </message>
    <message>
        <source>at least 2; or model.gate switch</source>
        <translation>至少 2；或 model.gate switch</translation>
    </message>
    <message>
        <source>cannot read the cluster</source>
        <translation>无法读取集群</translation>
    </message>
    <message>
        <source>false; or model.biases all</source>
        <translation>false；或 model.biases all</translation>
    </message>
    <message>
        <source>it divides the scores of a token by their sum only where there are several</source>
        <translation>只有一个 token 有多个得分时，它才把得分除以它们的和</translation>
    </message>
    <message>
        <source>it is not of the form NODESxDEVICES:DEVICE</source>
        <translation>它不是“节点数x设备数:设备”的形式</translation>
    </message>
    <message>
        <source>it judges a group by as many of its scores as it takes experts from one, and the layout by {}</source>
        <translation>它从一个组取多少专家，就按多少个得分评判这个组，而布局按 {} 个</translation>
    </message>
    <message>
        <source>it wants the softmax before the choice of one</source>
        <translation>只选一个时，它要求先做 softmax</translation>
    </message>
    <message>
        <source>its router has one where the products of a block have</source>
        <translation>块的矩阵乘法有偏置时，它的路由才有</translation>
    </message>
    <message>
        <source>layer norms beside latent attention</source>
        <translation>与潜在注意力并用的层归一化</translation>
    </message>
    <message>
        <source>model.top_k that is even</source>
        <translation>偶数的 model.top_k</translation>
    </message>
    <message>
        <source>no device of this name is known with a software stack</source>
        <translation>没有已知软件栈的设备叫这个名字</translation>
    </message>
    <message>
        <source>nodes and devices of a node are counted from 1</source>
        <translation>节点数和每个节点的设备数从 1 起</translation>
    </message>
    <message>
        <source>nodes, devices of a node and a device: 64x8:h100-sxm</source>
        <translation>节点数、每个节点的设备数和设备：64x8:h100-sxm</translation>
    </message>
    <message>
        <source>one expert of scores with a sigmoid</source>
        <translation>用 sigmoid 得分只选一个专家</translation>
    </message>
    <message>
        <source>one width; and model.expert_width</source>
        <translation>一个宽度；并用 model.expert_width</translation>
    </message>
    <message>
        <source>predicted is {} on {}</source>
        <translation>预测的是 {} 在 {} 上</translation>
    </message>
    <message>
        <source>products in fewer than 16 bits: the layout has them with 16-bit formats</source>
        <translation>少于 16 位的乘积：布局只在 16 位格式下有</translation>
    </message>
    <message>
        <source>the norms of its latents are those of the blocks</source>
        <translation>它的潜向量的归一化与块的相同</translation>
    </message>
    <message>
        <source>what is written for it is a GPT whose heads have keys and values of their own</source>
        <translation>为它写出的是一个各头有自己的键和值的 GPT</translation>
    </message>
    <message>
        <source>{} are more devices than a layout has ranks for</source>
        <translation>{} 个设备超过了布局能有的 rank 数</translation>
    </message>
    <message>
        <source>{} experts of {} groups</source>
        <translation>{} 个专家，{} 个组</translation>
    </message>
    <message>
        <source>{} yarn fixes it as DeepSeek has it; the factor alone can be chosen</source>
        <translation>{} yarn 把它固定为 DeepSeek 的值；只有系数可以选择</translation>
    </message>
    <message>
        <source>{} {} instead of {}</source>
        <translation>{} {}，而不是 {}</translation>
    </message>
    <message>
        <source>Lines like “iteration 5/ 100 | elapsed time per iteration (ms): 812.5 | lm loss: 7.1”</source>
        <translation>形如 “iteration 5/ 100 | elapsed time per iteration (ms): 812.5 | lm loss: 7.1” 的行</translation>
    </message>
    <message>
        <source>cannot import the log</source>
        <translation>无法导入日志</translation>
    </message>
    <message>
        <source>its lines do not tell how long a step took</source>
        <translation>其中各行没有说明一步用了多长时间</translation>
    </message>
    <message>
        <source>no line tells a step with its loss or its time</source>
        <translation>没有任何一行给出某一步的损失或用时</translation>
    </message>
    <message>
        <source>the log does not say how many devices a node has: the layout&apos;s have {}</source>
        <translation>日志没有说明每个节点有多少设备：布局中每个节点有 {} 个</translation>
    </message>
    <message>
        <source>Ranks wait for each other while the pipeline fills and drains, and for slower stages, as if transfers took no time. The bubble beside a layout&apos;s step time counts waiting for transfers too, and as a share of the time from the first forward to the last backward, not of the step.</source>
        <translation>在流水线填充和排空时，以及遇到较慢的阶段时，各 rank 互相等待，假定传输不花时间。布局的步时间旁边的气泡还计入对传输的等待，占从第一次前向到最后一次反向这段时间的份额，而不是整个一步的份额。</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>all at once</source>
        <translation>一次全部</translation>
    </message>
    <message>
        <source>as feed-forward</source>
        <translation>与前馈块相同</translation>
    </message>
    <message>
        <source>as head width</source>
        <translation>与头的列数相同</translation>
    </message>
    <message>
        <source>as many as heads</source>
        <translation>与头数相同</translation>
    </message>
    <message>
        <source>as many as ranks</source>
        <translation>与流水线 rank 数相同</translation>
    </message>
    <message>
        <source>at the end</source>
        <translation>仅在最后</translation>
    </message>
    <message>
        <source>from the steps</source>
        <translation>由各步得出</translation>
    </message>
    <message>
        <source>hidden ÷ heads</source>
        <translation>隐藏维度 ÷ 头数</translation>
    </message>
    <message>
        <source>no bias</source>
        <translation>无偏置</translation>
    </message>
    <message>
        <source>no cap</source>
        <translation>无上限</translation>
    </message>
    <message>
        <source>no latents</source>
        <translation>无潜向量</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>不限</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>the device&apos;s own</source>
        <translation>设备自身的值</translation>
    </message>
    <message>
        <source>the model&apos;s own</source>
        <translation>模型自身的值</translation>
    </message>
    <message>
        <source>the scaling&apos;s own</source>
        <translation>缩放方式自身的值</translation>
    </message>
    <message>
        <source>when asked for</source>
        <translation>仅在要求时</translation>
    </message>
    <message>
        <source>{} (0: {})</source>
        <translation>{}（0：{}）</translation>
    </message>
    <message>
        <source>Number format that the factors of a block&apos;s linear layers are rounded to; sums are taken in fp32. compute: no rounding. fp8: E4M3, and E5M2 for gradients, with a scale for each tensor. mxfp8: E4M3 with a scale for each 32 numbers. fp8-blocks: E4M3 with a scale for each 128 numbers of activations and each 128 x 128 of weights. fp8-rows: E4M3 with a scale for each row and column that a product sums over. nvfp4: 4 bits, for times of a modelled software stack.</source>
        <translation>块中线性层的因子舍入到的数值格式；求和用 fp32。compute：不舍入。fp8：E4M3，梯度用 E5M2，每个张量一个缩放因子。mxfp8：E4M3，每 32 个数一个缩放因子。fp8-blocks：E4M3，激活值每 128 个数、权重每 128 x 128 个数一个缩放因子。fp8-rows：E4M3，矩阵乘法求和的每一行和每一列一个缩放因子。nvfp4：4 位，用于所建模软件栈的时间。</translation>
    </message>
    <message>
        <source>a scale for each row and column that a product sums over</source>
        <translation>矩阵乘法求和的每一行和每一列一个缩放因子</translation>
    </message>
    <message>
        <source>its scales are those of a tensor, of 32 or of 128 numbers</source>
        <translation>它的缩放因子属于一个张量、32 个数或 128 个数</translation>
    </message>
    <message>
        <source>A trainer_state.json of a training that came to its end: its last entry has train_runtime</source>
        <translation>已结束的训练的 trainer_state.json，其最后一项有 train_runtime</translation>
    </message>
    <message>
        <source>a sigmoid</source>
        <translation>sigmoid</translation>
    </message>
    <message>
        <source>a tied output</source>
        <translation>共享的输出</translation>
    </message>
    <message>
        <source>a token attends within its document alone; in the layout&apos;s model to all tokens before</source>
        <translation>token 只关注其所在文档；布局的模型中则关注之前的所有 token</translation>
    </message>
    <message>
        <source>a window in other layers than each second from the first on</source>
        <translation>窗口不在从第一层起的每隔一层</translation>
    </message>
    <message>
        <source>a {} over {} context ranks</source>
        <translation>{} 分布在 {} 个上下文 rank 上</translation>
    </message>
    <message>
        <source>a {} over {} stages</source>
        <translation>{} 分为 {} 个阶段</translation>
    </message>
    <message>
        <source>all blocks of its {} have experts, or none</source>
        <translation>它的 {} 要么所有块都有专家，要么都没有</translation>
    </message>
    <message>
        <source>blocks without experts</source>
        <translation>没有专家的块</translation>
    </message>
    <message>
        <source>dense blocks below those with experts</source>
        <translation>含专家的块之下的稠密块</translation>
    </message>
    <message>
        <source>entry {} of log_history does not end</source>
        <translation>log_history 的第 {} 项没有结束</translation>
    </message>
    <message>
        <source>experts of {} columns beside blocks of {}</source>
        <translation>{} 列的专家与 {} 列的块并存</translation>
    </message>
    <message>
        <source>experts over {} replicas without FSDP</source>
        <translation>没有 FSDP 而专家分布在 {} 个副本上</translation>
    </message>
    <message>
        <source>from model.dense_layers on all blocks of its {} have experts</source>
        <translation>从 model.dense_layers 起，它的 {} 的所有块都有专家</translation>
    </message>
    <message>
        <source>gradients in {}</source>
        <translation>{} 的梯度</translation>
    </message>
    <message>
        <source>heads without sinks</source>
        <translation>没有 sink 的注意力头</translation>
    </message>
    <message>
        <source>high_freq_factor is low_freq_factor: the layout&apos;s angles change between {} and {} turns</source>
        <translation>high_freq_factor 等于 low_freq_factor：布局的角度在 {} 圈与 {} 圈之间过渡</translation>
    </message>
    <message>
        <source>it spreads experts over ranks among which FSDP divides the weights</source>
        <translation>它把专家分布在由 FSDP 切分权重的 rank 之间</translation>
    </message>
    <message>
        <source>its attention wants whole sequences there</source>
        <translation>它的注意力在那里需要完整的序列</translation>
    </message>
    <message>
        <source>its experts are cut as all else, or not at all</source>
        <translation>它的专家与其他部分一样切分，或完全不切分</translation>
    </message>
    <message>
        <source>its experts take all tokens that choose them</source>
        <translation>它的专家接收所有选择它的 token</translation>
    </message>
    <message>
        <source>its lines name no step; trainer_state.json does</source>
        <translation>各行没有给出步号；trainer_state.json 中有</translation>
    </message>
    <message>
        <source>its loss has no part that balances experts</source>
        <translation>它的损失没有均衡专家的部分</translation>
    </message>
    <message>
        <source>its {} attends to all tokens before</source>
        <translation>它的 {} 关注之前的所有 token</translation>
    </message>
    <message>
        <source>its {} does not round the pairs between which angles change</source>
        <translation>它的 {} 不对角度过渡区间两端的配对取整</translation>
    </message>
    <message>
        <source>its {} gives an expert the width of a block without, or divides that by the experts of a token, the shared ones among them</source>
        <translation>它的 {} 中，专家与没有专家的块同宽，或为该宽度除以每个 token 的专家数（含共享专家）</translation>
    </message>
    <message>
        <source>its {} has RMSNorm, rotary positions, SwiGLU and no biases</source>
        <translation>它的 {} 采用 RMSNorm、旋转位置编码、SwiGLU，没有偏置</translation>
    </message>
    <message>
        <source>its {} has RMSNorm, rotary positions, SwiGLU within bounds, biases everywhere and sinks</source>
        <translation>它的 {} 采用 RMSNorm、旋转位置编码、有界的 SwiGLU，处处有偏置，并有 sink</translation>
    </message>
    <message>
        <source>its {} has no pipeline</source>
        <translation>它的 {} 没有流水线</translation>
    </message>
    <message>
        <source>its {} predicts the next token alone</source>
        <translation>它的 {} 只预测下一个 token</translation>
    </message>
    <message>
        <source>its {} rounds no products of tensor ranks</source>
        <translation>它的 {} 不对张量 rank 的矩阵乘法降低精度</translation>
    </message>
    <message>
        <source>its {} rounds the pairs between which angles change</source>
        <translation>它的 {} 对角度过渡区间两端的配对取整</translation>
    </message>
    <message>
        <source>its {} scales no positions</source>
        <translation>它的 {} 不缩放位置编码</translation>
    </message>
    <message>
        <source>its {} scales positions by {}</source>
        <translation>它的 {} 按 {} 缩放位置编码</translation>
    </message>
    <message>
        <source>its {} scales positions in sequences alone that are longer than model.rope_original, {}</source>
        <translation>它的 {} 只在序列长于 model.rope_original（{}）时缩放位置编码</translation>
    </message>
    <message>
        <source>its {} wants both among the pairs of a head</source>
        <translation>它的 {} 要求两者都在一个头的配对之内</translation>
    </message>
    <message>
        <source>latent attention</source>
        <translation>潜在注意力</translation>
    </message>
    <message>
        <source>load_balance_coeff {}: the layout balances nothing</source>
        <translation>load_balance_coeff {}：布局不做均衡</translation>
    </message>
    <message>
        <source>log_history does not end</source>
        <translation>log_history 没有结束</translation>
    </message>
    <message>
        <source>log_history is no list</source>
        <translation>log_history 不是列表</translation>
    </message>
    <message>
        <source>log_history tells no step with its loss</source>
        <translation>log_history 没有给出任何一步及其损失</translation>
    </message>
    <message>
        <source>mscale {}: the layout&apos;s is 1</source>
        <translation>mscale {}：布局的为 1</translation>
    </message>
    <message>
        <source>norms of queries and keys</source>
        <translation>查询和键的归一化</translation>
    </message>
    <message>
        <source>nothing moves the biases of its {}</source>
        <translation>它的 {} 的偏置不会被调整</translation>
    </message>
    <message>
        <source>num_expert_groups {}: the layout chooses among all experts</source>
        <translation>num_expert_groups {}：布局在所有专家之中选择</translation>
    </message>
    <message>
        <source>of Shardlab&apos;s models it has the blocks of llama and llama-moe</source>
        <translation>在 Shardlab 的模型中，它有 llama 和 llama-moe 的块</translation>
    </message>
    <message>
        <source>one expert is weighted by {}; in the layout by its share of a softmax</source>
        <translation>单个专家的权重为 {}；布局中为其在 softmax 中的份额</translation>
    </message>
    <message>
        <source>products without biases</source>
        <translation>没有偏置的矩阵乘法</translation>
    </message>
    <message>
        <source>route_norm is False: the layout&apos;s gate divides the scores of a token by their sum</source>
        <translation>route_norm 为 False：布局的门控把一个 token 的各得分除以其总和</translation>
    </message>
    <message>
        <source>route_scale {}: the layout scales nothing</source>
        <translation>route_scale {}：布局不做缩放</translation>
    </message>
    <message>
        <source>score_before_experts: the layout weights what experts make, not what they get</source>
        <translation>score_before_experts：布局对专家的输出加权，而不是对输入加权</translation>
    </message>
    <message>
        <source>so its {} alternates</source>
        <translation>它的 {} 就是这样交替的</translation>
    </message>
    <message>
        <source>some layers turn no positions and the others attend within chunks; the layout&apos;s are all alike</source>
        <translation>有些层不旋转位置，其余层只在分块内计算注意力；布局的各层相同</translation>
    </message>
    <message>
        <source>the blocks of its {} are in bf16, and so are their gradients</source>
        <translation>它的 {} 的块为 bf16，其梯度也是</translation>
    </message>
    <message>
        <source>the blocks with experts of its {} come in equal steps from the bottom on</source>
        <translation>它的 {} 中，含专家的块从底部起等距排列</translation>
    </message>
    <message>
        <source>the experts that all tokens go to would have no biases in its {}</source>
        <translation>在它的 {} 中，所有 token 都经过的专家不会有偏置</translation>
    </message>
    <message>
        <source>the flavor {}: {}</source>
        <translation>{}：{}</translation>
    </message>
    <message>
        <source>what converts its linear layers leaves experts as they are</source>
        <translation>转换其线性层的部件不改变专家</translation>
    </message>
    <message>
        <source>yarn between the pairs {:.3g} and {:.3g} of {:g}</source>
        <translation>yarn 的区间在 {2} 个配对中的 {0} 与 {1} 之间</translation>
    </message>
    <message>
        <source>yarn for sequences of {} tokens</source>
        <translation>对 {} 个 token 的序列使用 yarn</translation>
    </message>
    <message>
        <source>{} in a {}</source>
        <translation>{1} 中的 {0}</translation>
    </message>
    <message>
        <source>{} over {} ranks</source>
        <translation>{} 分布在 {} 个 rank 上</translation>
    </message>
    <message>
        <source>its clamped gates have that of its quick_gelu</source>
        <translation>它的有界门采用 quick_gelu 的系数</translation>
    </message>
    <message>
        <source>a scale for each {} numbers</source>
        <translation>每 {} 个数一个缩放因子</translation>
    </message>
    <message>
        <source>a scale for each {} numbers, and each {} × {} of weights</source>
        <translation>每 {} 个数一个缩放因子，权重每 {} × {} 个数一个</translation>
    </message>
    <message>
        <source>products in {} for training</source>
        <translation>训练中的 {} 矩阵乘法</translation>
    </message>
    <message>
        <source>{}; or cluster.pace.stack megatron-core with cluster.pace.device b200, whose times are modelled</source>
        <translation>{}；或 cluster.pace.stack 取 megatron-core 且 cluster.pace.device 取 b200，其时间是建模的</translation>
    </message>
    <message>
        <source>cuBLASLt has no products in {} on {}: codes are read back and multiplied in fp32</source>
        <translation>cuBLASLt 没有 {} 的矩阵乘法（{}）：编码读回后用 fp32 相乘</translation>
    </message>
    <message>
        <source>1 layer</source>
        <translation>1 层</translation>
    </message>
    <message>
        <source>1 sample</source>
        <translation>1 个样本</translation>
    </message>
    <message>
        <source>block</source>
        <translation>块</translation>
    </message>
    <message>
        <source>byte</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>group</source>
        <translation>组</translation>
    </message>
    <message>
        <source>layer</source>
        <translation>层</translation>
    </message>
    <message>
        <source>microbatch</source>
        <translation>个微批次</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>pixel</source>
        <translation>像素</translation>
    </message>
    <message>
        <source>rank</source>
        <translation>rank</translation>
    </message>
    <message>
        <source>replica</source>
        <translation>个副本</translation>
    </message>
    <message>
        <source>run again</source>
        <translation>重新运行</translation>
    </message>
    <message>
        <source>sample</source>
        <translation>个样本</translation>
    </message>
    <message>
        <source>time</source>
        <translation>次</translation>
    </message>
    <message>
        <source>token</source>
        <translation>个 token</translation>
    </message>
    <message>
        <source>turn</source>
        <translation>圈</translation>
    </message>
    <message>
        <source>{} layers</source>
        <translation>{} 层</translation>
    </message>
    <message>
        <source>{} of {}, {} wide; {}; {} of {}</source>
        <translation>{}，{}，宽度 {}；{}；{}，每个 {}</translation>
    </message>
    <message>
        <source>{} samples</source>
        <translation>{} 个样本</translation>
    </message>
    <message>
        <source>{} {} {} instead of {}</source>
        <translation>{} {} {}，而不是 {}</translation>
    </message>
    <message>
        <source>… of {}</source>
        <translation>……共 {}</translation>
    </message>
    <message>
        <source>4 × hidden</source>
        <translation>4 × 隐藏维度</translation>
    </message>
    <message>
        <source>Folder of the checkpoints, relative to the layout file.</source>
        <translation>检查点的文件夹，相对于布局文件。</translation>
    </message>
    <message>
        <source>Layers of each stage, in order. The first stage may have no layer but the embedding, and the last one none but the output.</source>
        <translation>依次为各阶段的层数。第一个阶段可以只有嵌入层，最后一个阶段可以只有输出层。</translation>
    </message>
    <message>
        <source>The networks (10.1.0.0/16) or interfaces (ib0) that join the hosts, separated by commas.</source>
        <translation>连接各主机的网络（10.1.0.0/16）或接口（ib0），以逗号分隔。</translation>
    </message>
    <message>
        <source>The program that runs a command on another host, with its arguments. {host} stands for the host&apos;s name, which otherwise comes last. Any other program than ssh is started only where you have allowed it.</source>
        <translation>在另一台主机上执行命令的程序及其参数。{host} 代表主机名，没有写时放在最后。除 ssh 之外的程序只有在您允许之后才会启动。</translation>
    </message>
    <message>
        <source>Weights to start from, of GPT-2 or, for llama, of Llama, Mistral, Qwen2 or Qwen3, for llama-moe of Mixtral, Qwen3-MoE, DeepSeek-V3 or GPT-OSS, in the safetensors of Hugging Face: a file, or its folder. Their tensors, and a config.json beside them, must be those of the model.</source>
        <translation>起始权重：GPT-2 的，或 llama 时为 Llama、Mistral、Qwen2 或 Qwen3 的，llama-moe 时为 Mixtral、Qwen3-MoE、DeepSeek-V3 或 GPT-OSS 的，采用 Hugging Face 的 safetensors：一个文件或其文件夹。其中的张量以及旁边的 config.json 必须与模型一致。</translation>
    </message>
    <message>
        <source>Width inside each layer&apos;s feed-forward block: one number for each layer, or one for all.</source>
        <translation>每一层前馈块内部的宽度：每层一个数，或所有层共用一个数。</translation>
    </message>
    <message>
        <source>any that is up</source>
        <translation>任何已启用的</translation>
    </message>
    <message>
        <source>even</source>
        <translation>均分</translation>
    </message>
    <message>
        <source>random weights</source>
        <translation>随机权重</translation>
    </message>
    <message>
        <source>ssh</source>
        <translation>ssh</translation>
    </message>
    <message>
        <source>the run file&apos;s</source>
        <translation>运行文件所在处</translation>
    </message>
    <message>
        <source>{} (empty: {})</source>
        <translation>{}（空：{}）</translation>
    </message>
    <message>
        <source>the section {} says more ({}), which is not carried over: the trainer is told that in another way or does not use it</source>
        <translation>{} 一节还有一些内容（{}）没有导出：训练框架以其他方式得知，或用不到</translation>
    </message>
    <message>
        <source>checkpoints: before each, every {} steps, the pipeline runs empty, and it fills again after it; the predicted step does not count that</source>
        <translation>检查点：每 {} 步一次，之前流水线先排空，之后再填满；预测的步时间没有计入这一段</translation>
    </message>
    <message>
        <source>easgd with weights in {} alone</source>
        <translation>权重只用 {} 的 easgd</translation>
    </message>
    <message>
        <source>easgd with {}</source>
        <translation>easgd 与 {}</translation>
    </message>
    <message>
        <source>hogwild with a momentum of {:.9g}</source>
        <translation>hogwild 与动量 {:.9g}</translation>
    </message>
    <message>
        <source>hogwild with {}</source>
        <translation>hogwild 与 {}</translation>
    </message>
    <message>
        <source>its updates follow the microbatches of one replica, of which another number of replicas has more or fewer</source>
        <translation>它的更新取决于一个副本的微批次，而副本数不同时微批次就更多或更少</translation>
    </message>
    <message>
        <source>its pull is a part of gradient descent: W − η(ΔW + ρ(W − W̄))</source>
        <translation>它的拉力是梯度下降的一部分：W − η(ΔW + ρ(W − W̄))</translation>
    </message>
    <message>
        <source>its state is one number for each row and column: there is next to nothing to move</source>
        <translation>它的状态是每行每列一个数：几乎没有什么可搬运</translation>
    </message>
    <message>
        <source>master or fp32; or parallel.exchange allreduce or server</source>
        <translation>master 或 fp32；或 parallel.exchange allreduce 或 server</translation>
    </message>
    <message>
        <source>none; or parallel.exchange allreduce or server</source>
        <translation>none；或 parallel.exchange allreduce 或 server</translation>
    </message>
    <message>
        <source>none; or precision.compute bf16 or fp16 with precision.weights master; or optimizer.kind {}</source>
        <translation>none；或 precision.compute bf16 或 fp16 并用 precision.weights master；或 optimizer.kind {}</translation>
    </message>
    <message>
        <source>optimizer: the optimizer&apos;s state and its fp32 weights lie in the host&apos;s memory, and the processor updates them there. Gradients go to it over the device&apos;s link as soon as they are whole, and the updated weights come back (ZeRO-Offload). With 16 bits the device keeps 4 of AdamW&apos;s 16 bytes per parameter. It works with the exchange allreduce and with schedules that flush; with optimizers that keep a number for each row and column only where there are fp32 weights beside. parameters: besides, the weights that a rank owns lie there, and each layer&apos;s come to the device for every forward and backward that reads them (ZeRO-Infinity). The device keeps the gradients and room for the layers at work. It needs ZeRO 3 with the partition flat, on one replica too.</source>
        <translation>optimizer：优化器状态及其 fp32 权重放在主机内存中，由处理器在那里更新。梯度一旦完整就经设备链路传去，更新后的权重再传回（ZeRO-Offload）。用 16 位时，设备只保留 AdamW 每参数 16 字节中的 4 字节。适用于 allreduce 交换和会排空的调度；状态为每行每列一个数的优化器，只有在旁边有 fp32 权重时才适用。parameters：此外，rank 拥有的权重也放在那里，每次前向和反向读取某层之前，该层的权重传到设备上（ZeRO-Infinity）。设备保留梯度，以及正在工作的层的位置。需要 ZeRO 3 和 flat 划分，只有一个副本时也可用。</translation>
    </message>
    <message>
        <source>{}</source>
        <translation>{}</translation>
    </message>
    <message>
        <source>{} on the host without master weights in fp32</source>
        <translation>{} 放在主机上而没有 fp32 主权重</translation>
    </message>
    <message>
        <source>/entries/{} lacks its group, name or number</source>
        <translation>/entries/{} 缺少组、名称或编号</translation>
    </message>
    <message>
        <source>1 microbatch (0)</source>
        <translation>1 个微批次（0）</translation>
    </message>
    <message>
        <source>1 stage (0)</source>
        <translation>1 个阶段（0）</translation>
    </message>
    <message>
        <source>Chrome trace</source>
        <translation>Chrome trace</translation>
    </message>
    <message>
        <source>JSON of chrome://tracing, also .json.gz</source>
        <translation>chrome://tracing 的 JSON，也可为 .json.gz</translation>
    </message>
    <message>
        <source>JSON of torch.profiler (Kineto), one file per rank, also .json.gz</source>
        <translation>torch.profiler（Kineto）的 JSON，每个 rank 一个文件，也可为 .json.gz</translation>
    </message>
    <message>
        <source>Legal is a pickle of protocol 2 to 5 that holds dicts, lists, texts and numbers</source>
        <translation>合法的是协议 2 至 5、由字典、列表、文本和数字组成的 pickle</translation>
    </message>
    <message>
        <source>Legal is what PyTorch&apos;s flight recorder dumps (2.5 or later), as pickle or JSON</source>
        <translation>合法的是 PyTorch（2.5 或更新）的 flight recorder 的转储，pickle 或 JSON 均可</translation>
    </message>
    <message>
        <source>Legal is what torch.cuda.memory._dump_snapshot() writes, or a pickle of torch.cuda.memory._snapshot()</source>
        <translation>合法的是 torch.cuda.memory._dump_snapshot() 写出的文件，或 torch.cuda.memory._snapshot() 的 pickle</translation>
    </message>
    <message>
        <source>Nsight Systems</source>
        <translation>Nsight Systems</translation>
    </message>
    <message>
        <source>Pickle of torch.cuda.memory._dump_snapshot(), one file per rank</source>
        <translation>torch.cuda.memory._dump_snapshot() 的 pickle，每个 rank 一个文件</translation>
    </message>
    <message>
        <source>PyTorch memory snapshot</source>
        <translation>PyTorch 内存快照</translation>
    </message>
    <message>
        <source>PyTorch profiler</source>
        <translation>PyTorch profiler</translation>
    </message>
    <message>
        <source>SQLite export of Nsight Systems (nsys export --type sqlite)</source>
        <translation>Nsight Systems 的 SQLite 导出（nsys export --type sqlite）</translation>
    </message>
    <message>
        <source>Text that Megatron-LM, NeMo, torchtitan, DeepSpeed, Hugging Face&apos;s Trainer and others print of each step, JSON with an object for each, or trainer_state.json, also .gz</source>
        <translation>Megatron-LM、NeMo、torchtitan、DeepSpeed、Hugging Face 的 Trainer 等逐步打印的文本，每步一个对象的 JSON，或 trainer_state.json，也可为 .gz</translation>
    </message>
    <message>
        <source>a key has no value</source>
        <translation>一个键没有值</translation>
    </message>
    <message>
        <source>a key of a dict is neither a text nor a whole number</source>
        <translation>字典的一个键既非文本也非整数</translation>
    </message>
    <message>
        <source>a whole number of more than 64 bits</source>
        <translation>超过 64 位的整数</translation>
    </message>
    <message>
        <source>a {}</source>
        <translation>一个{}</translation>
    </message>
    <message>
        <source>an instruction adds to what is no list or dict</source>
        <translation>一条指令往既非列表也非字典的对象中添加</translation>
    </message>
    <message>
        <source>an instruction takes a value that is not there</source>
        <translation>一条指令取用了不存在的值</translation>
    </message>
    <message>
        <source>between steps</source>
        <translation>两步之间</translation>
    </message>
    <message>
        <source>byte {}: {}</source>
        <translation>第 {} 字节：{}</translation>
    </message>
    <message>
        <source>cannot read the flight recorder&apos;s dump</source>
        <translation>无法读取该 flight recorder 转储</translation>
    </message>
    <message>
        <source>cannot read the memory snapshot</source>
        <translation>无法读取该内存快照</translation>
    </message>
    <message>
        <source>cannot read the pickle</source>
        <translation>无法读取该 pickle</translation>
    </message>
    <message>
        <source>communicating</source>
        <translation>通信中</translation>
    </message>
    <message>
        <source>computing</source>
        <translation>计算中</translation>
    </message>
    <message>
        <source>instruction 0x{:02x} is not read</source>
        <translation>不支持指令 0x{}</translation>
    </message>
    <message>
        <source>it does not tell its format, and 2 is read</source>
        <translation>它没有写明格式；支持的是格式 2</translation>
    </message>
    <message>
        <source>it ends with other than one value</source>
        <translation>它结束时留下的值不是恰好一个</translation>
    </message>
    <message>
        <source>it has no list &quot;entries&quot;</source>
        <translation>它没有列表“entries”</translation>
    </message>
    <message>
        <source>it has no list &quot;segments&quot;</source>
        <translation>它没有列表“segments”</translation>
    </message>
    <message>
        <source>it has the instruction {} of {}, which makes more than plain values; nothing of it was run</source>
        <translation>它含有指令 {}（{}），该指令会产生普通值以外的东西；其中没有任何内容被执行</translation>
    </message>
    <message>
        <source>it has the instruction {}, which makes more than plain values; nothing of it was run</source>
        <translation>它含有指令 {}，该指令会产生普通值以外的东西；其中没有任何内容被执行</translation>
    </message>
    <message>
        <source>it holds no segment and no entry of any device</source>
        <translation>它没有任何设备的段或条目</translation>
    </message>
    <message>
        <source>it is cut off</source>
        <translation>它被截断了</translation>
    </message>
    <message>
        <source>it is larger than 2 GiB</source>
        <translation>它大于 2 GiB</translation>
    </message>
    <message>
        <source>it is larger than 64 MiB</source>
        <translation>它大于 64 MiB</translation>
    </message>
    <message>
        <source>it is neither a pickle nor JSON</source>
        <translation>它既不是 pickle 也不是 JSON</translation>
    </message>
    <message>
        <source>it is no pickle</source>
        <translation>它不是 pickle</translation>
    </message>
    <message>
        <source>it names a value again that it never had</source>
        <translation>它再次引用了从未有过的值</translation>
    </message>
    <message>
        <source>its format is {}, and 2 is read</source>
        <translation>它的格式是 {}；支持的是格式 2</translation>
    </message>
    <message>
        <source>its name does not end with the number of a rank below {}, as dump_rank_3 does</source>
        <translation>文件名没有像 dump_rank_3 那样以小于 {} 的 rank 编号结尾</translation>
    </message>
    <message>
        <source>more than {} bytes of text</source>
        <translation>文本多于 {} 字节</translation>
    </message>
    <message>
        <source>more than {} values</source>
        <translation>多于 {} 个值</translation>
    </message>
    <message>
        <source>protocol {} is not read</source>
        <translation>不支持协议 {}</translation>
    </message>
    <message>
        <source>rank {} recorded {}</source>
        <translation>rank {} 记录了 {}</translation>
    </message>
    <message>
        <source>setting up</source>
        <translation>准备中</translation>
    </message>
    <message>
        <source>taking a checkpoint</source>
        <translation>正在写检查点</translation>
    </message>
    <message>
        <source>the program has {}, the layout “{}” has {} ({})</source>
        <translation>程序有 {}，布局“{}”有 {} 个（{}）</translation>
    </message>
    <message>
        <source>the {} &quot;{}&quot;</source>
        <translation>{}“{}”</translation>
    </message>
    <message>
        <source>training log</source>
        <translation>训练日志</translation>
    </message>
    <message>
        <source>validating</source>
        <translation>验证中</translation>
    </message>
    <message>
        <source>values lie more than {} deep</source>
        <translation>值的嵌套深于 {} 层</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>{} microbatches (0 to {})</source>
        <translation>{} 个微批次（0 至 {}）</translation>
    </message>
    <message>
        <source>{} stages (0 to {})</source>
        <translation>{} 个阶段（0 至 {}）</translation>
    </message>
    <message>
        <source>{}, the layout “{}” has stage {} on rank {}</source>
        <translation>{}，而布局“{}”的阶段 {} 在 rank {} 上</translation>
    </message>
    <message>
        <source>{}, the layout “{}” has stage {} on ranks {}</source>
        <translation>{}，而布局“{}”的阶段 {} 在 rank {} 上</translation>
    </message>
    <message>
        <source>{}, the layout “{}” has {}</source>
        <translation>{}，而布局“{}”有 {}</translation>
    </message>
    <message>
        <source>{}, the layout “{}” has {} in a step</source>
        <translation>{}，而布局“{}”的一步有 {}</translation>
    </message>
    <message>
        <source>{}/{} is missing, or cannot be</source>
        <translation>{}/{} 缺失，或不可能是这个值</translation>
    </message>
    <message>
        <source>epochs</source>
        <translation>epoch 数</translation>
    </message>
    <message>
        <source>most experts of a token</source>
        <translation>一个 token 最多的专家</translation>
    </message>
    <message>
        <source>replicas that differ</source>
        <translation>不同的副本</translation>
    </message>
    <message>
        <source>rounds of assignment</source>
        <translation>分配的轮数</translation>
    </message>
    <message>
        <source>tokens that no expert took</source>
        <translation>没有专家取用的 token</translation>
    </message>
    <message>
        <source>--data-path beside --mock-data: the layout&apos;s data is its generator</source>
        <translation>--data-path 与 --mock-data 并存：布局的数据由 generator 生成</translation>
    </message>
    <message>
        <source>--data-path {}: the script settles it when it runs, and the layout&apos;s data is its generator</source>
        <translation>--data-path {}：脚本运行时才能确定，布局的数据由 generator 生成</translation>
    </message>
    <message>
        <source>--save {}: the script settles it when it runs, and checkpoints lie beside the run file</source>
        <translation>--save {}：脚本运行时才能确定，检查点放在运行文件旁边</translation>
    </message>
    <message>
        <source>a local batch of {} is no multiple of {} microbatches: the layout&apos;s hold one sample each</source>
        <translation>本地批的大小 {} 不是 {} 个微批的倍数：布局的每个微批有一个样本</translation>
    </message>
    <message>
        <source>the layout&apos;s model has {} layers and {} heads, which the file&apos;s degrees divide</source>
        <translation>布局的模型有 {} 层和 {} 个头，文件中的并行度可以整除它们</translation>
    </message>
    <message>
        <source>the optimizer is distributed over one replica, which divides nothing: parallel.zero is 0</source>
        <translation>优化器分布在一个副本上，没有什么可切分：parallel.zero 取 0</translation>
    </message>
    <message>
        <source>the split point {}: the layout splits its layers evenly</source>
        <translation>切分点 {}：布局平均切分各层</translation>
    </message>
    <message>
        <source>what the program that calls DeepSpeed settles (&quot;auto&quot;) is the layout&apos;s default: {}</source>
        <translation>由调用 DeepSpeed 的程序确定的项（“auto”）取布局的默认值：{}</translation>
    </message>
    <message>
        <source>zero_optimization.{}.device is nvme: the layout keeps it in the host&apos;s memory</source>
        <translation>zero_optimization.{}.device 为 nvme：布局把它放在主机内存里</translation>
    </message>
    <message>
        <source>cannot record operations</source>
        <translation>无法记录运算</translation>
    </message>
    <message>
        <source>a paced run shows the times of modelled devices, and operations take those of this machine</source>
        <translation>定速运行显示所建模设备的时间，而运算用的是本机的时间</translation>
    </message>
    <message>
        <source>a run at full speed, without /cluster/pace</source>
        <translation>全速运行，不带 /cluster/pace</translation>
    </message>
    <message>
        <source>&quot;{}&quot; is no number</source>
        <translation>“{}”不是数</translation>
    </message>
    <message>
        <source>an earlier part of this run still holds it</source>
        <translation>本次运行的前一部分仍占用着它</translation>
    </message>
    <message>
        <source>the value cannot be read</source>
        <translation>这个值无法读取</translation>
    </message>
    <message>
        <source>the value is missing</source>
        <translation>缺少值</translation>
    </message>
    <message>
        <source>the value is not legal</source>
        <translation>这个值不合法</translation>
    </message>
    <message>
        <source>there is no such option</source>
        <translation>没有这个选项</translation>
    </message>
    <message>
        <source>there is no such topic or verb</source>
        <translation>没有这个主题或动词</translation>
    </message>
    <message>
        <source>there is no such verb</source>
        <translation>没有这个动词</translation>
    </message>
    <message>
        <source>there is one argument too many</source>
        <translation>多了一个参数</translation>
    </message>
    <message>
        <source>{} is missing</source>
        <translation>缺少 {}</translation>
    </message>
    <message>
        <source>{} takes no more</source>
        <translation>{} 不再接受更多参数</translation>
    </message>
    <message>
        <source>{}; {} --help tells more</source>
        <translation>{}；{} --help 有更多说明</translation>
    </message>
    <message>
        <source>Heads of keys and of values where positions are rotary; each is read by equally many heads of queries (grouped-query attention). Where a tensor group has more members than these, equally many members share each: every one makes some columns of it, and they gather them.</source>
        <translation>使用旋转位置编码时键和值的头数；每个被同样多的查询头读取（分组查询注意力）。张量组的成员多于这些头时，每个头由同样多的成员共享：每个成员算出它的若干列，再把这些列汇集起来。</translation>
    </message>
    <message>
        <source>each member of a tensor group holds at least one of them, or equally many members share each</source>
        <translation>张量组的每个成员至少持有其中一个，或者每个由同样多的成员共享</translation>
    </message>
    <message>
        <source>a replica that goes takes weights with it that no other one has</source>
        <translation>离开的副本会带走其他副本都没有的权重</translation>
    </message>
    <message>
        <source>only with the exchange allreduce, server, easgd or hogwild</source>
        <translation>仅在交换方式为 allreduce、server、easgd 或 hogwild 时</translation>
    </message>
    <message>
        <source>the ranks of its tensor groups hold whole heads of keys</source>
        <translation>它的张量组的 rank 持有完整的键头</translation>
    </message>
    <message>
        <source>{} columns of a key and its value</source>
        <translation>一个键及其值的 {} 列</translation>
    </message>
    <message>
        <source>at most {}; or {}</source>
        <translation>最多 {}；或 {}</translation>
    </message>
    <message>
        <source>Bandwidth of the network between nodes for each device, InfiniBand say: that of a node&apos;s network ports together, divided by its devices.</source>
        <translation>节点间网络（例如 InfiniBand）分到每个设备的带宽：一个节点所有网口之和除以其设备数。</translation>
    </message>
    <message>
        <source>Inter-node link</source>
        <translation>节点间链路</translation>
    </message>
    <message>
        <source>a module in Python whose function returns the configuration, with the schedule&apos;s CSV beside it where it needs one</source>
        <translation>一个 Python 模块，其函数返回配置；需要时旁边附有调度的 CSV</translation>
    </message>
    <message>
        <source>a tied output over {} stages</source>
        <translation>{} 个阶段上共享权重的输出</translation>
    </message>
    <message>
        <source>experts cut among {} tensor ranks</source>
        <translation>专家由 {} 个张量 rank 切分</translation>
    </message>
    <message>
        <source>experts that it spreads over ranks are whole</source>
        <translation>它分布到各 rank 上的专家是完整的</translation>
    </message>
    <message>
        <source>it computes all blocks again, or operations in every block</source>
        <translation>它重新计算所有块，或每个块中的若干运算</translation>
    </message>
    <message>
        <source>it multiplies experts in bf16 alone</source>
        <translation>它只用 bf16 计算专家的乘法</translation>
    </message>
    <message>
        <source>it wants a multiple of {}, so that its tensor and context ranks have equal shares of them</source>
        <translation>它要求是 {} 的倍数，使张量和上下文 rank 各持有相等的份额</translation>
    </message>
    <message>
        <source>its pipelines do not share a weight between their ends</source>
        <translation>它的流水线两端不共享权重</translation>
    </message>
    <message>
        <source>its scales are those of a row or 32 numbers</source>
        <translation>它的缩放因子按行或每 32 个数给出</translation>
    </message>
    <message>
        <source>{} tokens</source>
        <translation>{} 个 token</translation>
    </message>
    <message>
        <source>it cuts the columns of fewer experts than ranks, and {} is no multiple of {}</source>
        <translation>专家少于 rank 时它切分每个专家的列，而 {} 不是 {} 的倍数</translation>
    </message>
    <message>
        <source>a Llama and its relatives have RMSNorm, rotary positions and gates, and not both norms of queries and their biases; a Starcoder2 has layer norms and no gates, an Arcee no gates, a StableLM layer norms; a DeepSeek-V3 has no biases, no window, and an epsilon of 1e-6</source>
        <translation>Llama 及其同类有 RMSNorm、旋转位置和门，查询和键的归一化与其偏置不能并存；Starcoder2 有层归一化而没有门，Arcee 没有门，StableLM 有层归一化；DeepSeek-V3 没有偏置、没有窗口，epsilon 为 1e-6</translation>
    </message>
    <message>
        <source>a Mixtral and a Qwen3-MoE have experts in all blocks, none of them shared, a capacity of 0, the gate top-k-softmax (a Qwen3-MoE perhaps softmax-top-k), RMSNorm, rotary positions and gates, no biases; a DeepSeek-V3 has latent attention, shared experts and a gate of sigmoids with a bias (a DeepSeek-V2 softmax-top-k without one, a Dots1 norms of queries and keys instead of latents); a GPT-OSS has experts as a Mixtral, with biases everywhere, model.score_bias and sinks, and the activation swiglu-clamped</source>
        <translation>Mixtral 和 Qwen3-MoE 的所有块都有专家，没有共享专家，容量为 0，门控为 top-k-softmax（Qwen3-MoE 也可以是 softmax-top-k），RMSNorm、旋转位置和门，没有偏置；DeepSeek-V3 有潜在注意力、共享专家和带偏置的 sigmoid 门控（DeepSeek-V2 的门控是 softmax-top-k，没有偏置；Dots1 没有潜向量，而有查询和键的归一化）；GPT-OSS 的专家与 Mixtral 相同，处处有偏置，有 model.score_bias 和 sink，激活函数为 swiglu-clamped</translation>
    </message>
    <message>
        <source>a model of that type multiplies its token embedding by the root of hidden_size, and that embedding is its output too</source>
        <translation>这种模型把 token 嵌入乘以 hidden_size 的平方根，而这个嵌入同时是它的输出</translation>
    </message>
    <message>
        <source>a model without that, of model_type {} say</source>
        <translation>没有这一点的模型，例如 model_type {}</translation>
    </message>
    <message>
        <source>attention and feed-forward of a block read the same input there (use_parallel_residual)</source>
        <translation>那里一个块的注意力和前馈读取同一个输入（use_parallel_residual）</translation>
    </message>
    <message>
        <source>it clips queries, keys and values (attn_config.clip_qkv)</source>
        <translation>它裁剪查询、键和值（attn_config.clip_qkv）</translation>
    </message>
    <message>
        <source>it multiplies embedding, branches, scores and logits (embedding_multiplier, residual_multiplier)</source>
        <translation>它给嵌入、分支、分数和 logits 乘以系数（embedding_multiplier、residual_multiplier）</translation>
    </message>
    <message>
        <source>its activation has bounds that are learned (hidden_act xielu)</source>
        <translation>它的激活函数有学习得到的界限（hidden_act xielu）</translation>
    </message>
    <message>
        <source>its activation is relu (activation_function)</source>
        <translation>它的激活函数是 relu（activation_function）</translation>
    </message>
    <message>
        <source>its attention sees the tokens that an index chooses (index_topk)</source>
        <translation>它的注意力只看索引选出的 token（index_topk）</translation>
    </message>
    <message>
        <source>its attention takes a second one from the first (lambda_std_dev)</source>
        <translation>它的注意力从第一个中减去第二个（lambda_std_dev）</translation>
    </message>
    <message>
        <source>its blocks have norms behind attention and feed-forward too (post_attention_layernorm)</source>
        <translation>它的块在注意力和前馈之后也有归一化（post_attention_layernorm）</translation>
    </message>
    <message>
        <source>its blocks have norms within attention and feed-forward (attn_sub_norm)</source>
        <translation>它的块在注意力和前馈内部有归一化（attn_sub_norm）</translation>
    </message>
    <message>
        <source>its layers are recurrent</source>
        <translation>它的层是循环的</translation>
    </message>
    <message>
        <source>its layers are state spaces without attention (state_size)</source>
        <translation>它的层是没有注意力的状态空间（state_size）</translation>
    </message>
    <message>
        <source>its model_type is {0}: {1}</source>
        <translation>其 model_type 是 {0}：{1}</translation>
    </message>
    <message>
        <source>its norms learn nothing</source>
        <translation>它的归一化不学习任何参数</translation>
    </message>
    <message>
        <source>its norms of queries and keys (q_norm, k_norm) go over all heads together</source>
        <translation>它的查询和键的归一化（q_norm、k_norm）跨所有的头一起计算</translation>
    </message>
    <message>
        <source>its norms of queries and keys come behind the turn of their positions (query_layernorm)</source>
        <translation>它的查询和键的归一化在位置旋转之后（query_layernorm）</translation>
    </message>
    <message>
        <source>its positions are sines (scale_embedding)</source>
        <translation>它的位置是正弦（scale_embedding）</translation>
    </message>
    <message>
        <source>its positions turn a part of each head alone (partial_rotary_factor)</source>
        <translation>它的位置只旋转每个头的一部分（partial_rotary_factor）</translation>
    </message>
    <message>
        <source>its queries grow with their place (llama_4_scaling_beta)</source>
        <translation>它的查询随位置增大（llama_4_scaling_beta）</translation>
    </message>
    <message>
        <source>its router adds a correction to the shares of a softmax (moe_statics)</source>
        <translation>它的路由给 softmax 的份额加一个修正（moe_statics）</translation>
    </message>
    <message>
        <source>its router masks scores by their distance from the highest (router_jitter_noise)</source>
        <translation>它的路由按与最高分的距离屏蔽分数（router_jitter_noise）</translation>
    </message>
    <message>
        <source>its scores are not divided by the root of a head&apos;s width</source>
        <translation>它的分数不除以头宽度的平方根</translation>
    </message>
    <message>
        <source>its shared expert has a gate of its own (shared_expert_gate)</source>
        <translation>它的共享专家有自己的门（shared_expert_gate）</translation>
    </message>
    <message>
        <source>layer_types has {}, which is no attention of a {}</source>
        <translation>layer_types 中有 {}，它不是 {} 的注意力</translation>
    </message>
    <message>
        <source>layers with a window turn positions by a base of their own there (rope_parameters)</source>
        <translation>那里有窗口的层用自己的底数旋转位置（rope_parameters）</translation>
    </message>
    <message>
        <source>some of its layers are convolutions (conv_L_cache)</source>
        <translation>它的一些层是卷积（conv_L_cache）</translation>
    </message>
    <message>
        <source>some of its layers are state spaces (layer_types)</source>
        <translation>它的一些层是状态空间（layer_types）</translation>
    </message>
    <message>
        <source>some of its layers have linear attention (layer_types)</source>
        <translation>它的一些层使用线性注意力（layer_types）</translation>
    </message>
    <message>
        <source>some of its layers turn no positions (no_rope_layers)</source>
        <translation>它的一些层不旋转位置（no_rope_layers）</translation>
    </message>
    <message>
        <source>the norms of its blocks lie behind attention and feed-forward instead of before them (post_feedforward_layernorm)</source>
        <translation>它的块的归一化在注意力和前馈之后，而不是之前（post_feedforward_layernorm）</translation>
    </message>
    <message>
        <source>what predicts ahead in its {} reads the last block&apos;s output before the last norm, a layout&apos;s behind it</source>
        <translation>其 {} 中向前预测的部分读取最后一个块在最后的归一化之前的输出，布局的则读取之后的</translation>
    </message>
    <message>
        <source>{}, a layout&apos;s model turns positions in all its layers</source>
        <translation>{}，布局的模型在所有层中旋转位置</translation>
    </message>
    <message>
        <source>--pipeline-model-parallel-layout {}: what predicts further tokens is in the layout&apos;s last stage, and a stage that had nothing else has a layer of one before it</source>
        <translation>--pipeline-model-parallel-layout {}：预测后续 token 的模块放在布局的最后一个阶段；原来只有这些模块的阶段，从它前面的一个阶段得到一层</translation>
    </message>
    <message>
        <source>the file does not say on how many devices: parallelism.data_parallel_shard_degree is {}</source>
        <translation>文件没有说明设备数：parallelism.data_parallel_shard_degree 取 {}</translation>
    </message>
    <message>
        <source>there are no gradient_accumulation_steps, which say how many replicas there are: parallel.data is {}</source>
        <translation>没有用来确定副本数的 gradient_accumulation_steps：parallel.data 取 {}</translation>
    </message>
    <message>
        <source>there is no train_batch_size, which says how many replicas there are: parallel.data is {}</source>
        <translation>没有用来确定副本数的 train_batch_size：parallel.data 取 {}</translation>
    </message>
    <message>
        <source>times are those of {} on {}, as cluster.pace says</source>
        <translation>时间是 {} 在 {} 上的时间，如 cluster.pace 所示</translation>
    </message>
    <message>
        <source>How gradients are averaged. backend: by the all-reduce of the communication library. ring: in 2(n−1) hops round the replicas, each of which is an event. With ZeRO gradients are scattered in the first half of them, and weights gathered in the second; copies are summed by the library.</source>
        <translation>如何平均梯度。backend：用通信库的 all-reduce。ring：沿各副本组成的环传递 2(n−1) 跳，每一跳是一个事件。用 ZeRO 时，梯度在前一半跳中分散，权重在后一半跳中收集；各份拷贝之间由通信库求和。</translation>
    </message>
    <message>
        <source>How gradients travel between replicas. full: in their own number format. 8-bit, 4-bit: as whole numbers, with a scale for each 256 of them. 1-bit: as signs, with the mean magnitude of each 256. What rounding loses is kept in fp32 and added to the gradients of the next step (error feedback). It works with the exchange allreduce by the backend, and without a tensor group; with ZeRO 2 and 3 for the gradients of each microbatch, and between copies once more.</source>
        <translation>梯度在副本之间如何传送。full：用自己的数值格式。8-bit、4-bit：作为整数，每 256 个共用一个缩放因子。1-bit：只传符号，每 256 个附一个绝对值的平均。舍入所损失的部分以 fp32 保留，并加到下一步的梯度上（误差反馈）。它用于后端的 allreduce 交换、没有张量组；用 ZeRO 2 和 3 时，用于每个微批次的梯度，在各份拷贝之间再进行一次。</translation>
    </message>
    <message>
        <source>a ring with whole layers</source>
        <translation>整层归一个副本所有，却使用环</translation>
    </message>
    <message>
        <source>backend; or parallel.partition flat</source>
        <translation>backend；或 parallel.partition flat</translation>
    </message>
    <message>
        <source>each of them goes to the replica that has all of it, and from there: no parts go round</source>
        <translation>每一层都去往拥有它全部的那个副本，再从那里出来：没有部分沿环传递</translation>
    </message>
    <message>
        <source>each replica sends its codes in equal parts, of which every other one owns one</source>
        <translation>每个副本把它的编码分成相等的部分发送，其他每个副本拥有其中一份</translation>
    </message>
    <message>
        <source>only with the partition flat: whole layers have one owner each</source>
        <translation>仅用于 partition flat：整层各有一个所有者</translation>
    </message>
    <message>
        <source>parallel.partition flat</source>
        <translation>parallel.partition flat</translation>
    </message>
    <message>
        <source>whole layers</source>
        <translation>整层归一个副本所有</translation>
    </message>
    <message>
        <source>rank {} does not fit: it needs {}, and its device has {}</source>
        <translation>rank {} 放不下：需要 {}，而其设备{}</translation>
    </message>
    <message>
        <source>too large for this machine: all ranks together need {}, and it has {}</source>
        <translation>这台机器放不下：所有 rank 一共需要 {}，而这台机器有 {}</translation>
    </message>
    <message>
        <source>another order on pipeline rank {}</source>
        <translation>流水线 rank {} 的顺序不同</translation>
    </message>
    <message>
        <source>no orders by hand</source>
        <translation>没有手工顺序</translation>
    </message>
    <message>
        <source>orders by hand</source>
        <translation>手工顺序</translation>
    </message>
    <message>
        <source>other orders on pipeline ranks {}</source>
        <translation>流水线 rank {} 的顺序不同</translation>
    </message>
    <message>
        <source>What if?</source>
        <translation>如果……会怎样？</translation>
    </message>
    <message>
        <source>a curve has no figure</source>
        <translation>曲线没有数字</translation>
    </message>
    <message>
        <source>a figure that is predicted: shardlab learn --figures lists them</source>
        <translation>一个有预测的数字：shardlab learn --figures 列出它们</translation>
    </message>
    <message>
        <source>a fraction ends at a space: what stands beside it has spaces around it, or brackets</source>
        <translation>分数到空格为止：与它并列的内容要用空格隔开，或放在括号里</translation>
    </message>
    <message>
        <source>a number is missing before {}</source>
        <translation>{} 之前缺一个数</translation>
    </message>
    <message>
        <source>a place for it, once</source>
        <translation>给它一个位置，只一次</translation>
    </message>
    <message>
        <source>a slider has no places</source>
        <translation>滑块没有位置</translation>
    </message>
    <message>
        <source>a slider starts from the layout&apos;s own value, which is not among its places</source>
        <translation>滑块从布局自己的值开始，而这个值不在它的位置之中</translation>
    </message>
    <message>
        <source>a what-if draws nothing</source>
        <translation>假设图什么也没有画</translation>
    </message>
    <message>
        <source>a what-if has no name or no text</source>
        <translation>假设图没有名字或没有文字</translation>
    </message>
    <message>
        <source>a what-if has one slider or two</source>
        <translation>假设图有一个或两个滑块</translation>
    </message>
    <message>
        <source>a what-if is of no experiment of this lesson</source>
        <translation>假设图所指的实验不在这节课里</translation>
    </message>
    <message>
        <source>a what-if models no devices, so that everybody would see other numbers</source>
        <translation>假设图没有模拟设备，每个人会看到不同的数字</translation>
    </message>
    <message>
        <source>all together</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>at first</source>
        <translation>起点</translation>
    </message>
    <message>
        <source>bytes of gradients on the rank that holds most</source>
        <translation>梯度的字节数，在最多的 rank 上</translation>
    </message>
    <message>
        <source>bytes of optimizer state on the rank that holds most</source>
        <translation>优化器状态的字节数，在最多的 rank 上</translation>
    </message>
    <message>
        <source>bytes of the traffic that go from one node to another in a step</source>
        <translation>一步从一个节点到另一个节点的字节数</translation>
    </message>
    <message>
        <source>bytes of weights on the rank that holds most</source>
        <translation>权重的字节数，在最多的 rank 上</translation>
    </message>
    <message>
        <source>bytes that cross links in a step, over all ranks</source>
        <translation>一步经过链路的字节数，所有 rank 合计</translation>
    </message>
    <message>
        <source>bytes that the rank which sends most sends in a step</source>
        <translation>发送最多的 rank 一步发送的字节数</translation>
    </message>
    <message>
        <source>communication</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>hops of a step&apos;s all-reduces where these are rings of Shardlab&apos;s own, over all ranks</source>
        <translation>一步的 all-reduce 的跳数（当它们是 Shardlab 自己的环时），所有 rank 合计</translation>
    </message>
    <message>
        <source>how long a step takes on the devices, or on those that a paced run models</source>
        <translation>一步在设备上，或在定速运行所模拟的设备上，用时多久</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>in theory</source>
        <translation>理论值</translation>
    </message>
    <message>
        <source>messages between stages in a step, over all ranks</source>
        <translation>一步中阶段之间的消息数，所有 rank 合计</translation>
    </message>
    <message>
        <source>microbatches of a step in each replica</source>
        <translation>每个副本一步的微批次</translation>
    </message>
    <message>
        <source>most bytes of activations that any rank holds</source>
        <translation>激活值的字节数，在最多的 rank 上</translation>
    </message>
    <message>
        <source>most memory that any rank has on its host, beside that of its device</source>
        <translation>除设备内存外，一个 rank 在主机上占用的最多内存</translation>
    </message>
    <message>
        <source>most memory that any rank holds</source>
        <translation>占用最多的 rank 的内存</translation>
    </message>
    <message>
        <source>most microbatches whose activations a rank holds at once</source>
        <translation>一个 rank 同时持有激活值的微批次的最大数目</translation>
    </message>
    <message>
        <source>most versions of its weights that a rank holds at once</source>
        <translation>一个 rank 同时持有的权重版本的最大数目</translation>
    </message>
    <message>
        <source>no plan tells this figure</source>
        <translation>没有规划能给出这个数字</translation>
    </message>
    <message>
        <source>nothing is known by {}; known are {}</source>
        <translation>不认识 {}；认识的有 {}</translation>
    </message>
    <message>
        <source>now</source>
        <translation>现在</translation>
    </message>
    <message>
        <source>parameters of the model</source>
        <translation>模型的参数</translation>
    </message>
    <message>
        <source>part of the step</source>
        <translation>一步的部分</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>ranks that train</source>
        <translation>参加训练的 rank</translation>
    </message>
    <message>
        <source>seconds of a step in which a rank computes activations again</source>
        <translation>一步中一个 rank 重新计算激活值的时间</translation>
    </message>
    <message>
        <source>seconds of a step in which a rank waits for gradients or parameters, or for copies to its host or back</source>
        <translation>一步中一个 rank 等待梯度或参数，或等待与主机之间复制的时间</translation>
    </message>
    <message>
        <source>share of a step, from its first forward to its last backward, in which ranks are idle; mean over ranks</source>
        <translation>一步之中，从第一个前向到最后一个反向，rank 空闲的时间比例；对各 rank 求平均</translation>
    </message>
    <message>
        <source>share of its time in which a parameter server takes gradients, updates and sends weights</source>
        <translation>参数服务器接收梯度、更新和发送权重所占的时间比例</translation>
    </message>
    <message>
        <source>steps of the run</source>
        <translation>运行的步数</translation>
    </message>
    <message>
        <source>the field cannot have this value</source>
        <translation>该字段不能取这个值</translation>
    </message>
    <message>
        <source>the first {} of {} sorts of ranks</source>
        <translation>{1} 类 rank 中的前 {0} 类</translation>
    </message>
    <message>
        <source>the formula ends too soon</source>
        <translation>公式没有写完</translation>
    </message>
    <message>
        <source>the layout that a what-if starts from is not legal</source>
        <translation>假设图开始的布局不合法</translation>
    </message>
    <message>
        <source>the whole step</source>
        <translation>整个一步</translation>
    </message>
    <message>
        <source>this does not belong to the formula: {}</source>
        <translation>这不属于公式：{}</translation>
    </message>
    <message>
        <source>this is no formula</source>
        <translation>这不是公式</translation>
    </message>
    <message>
        <source>this says nothing of a question, a step or a what-if</source>
        <translation>这一行与问题、步骤或假设图都无关</translation>
    </message>
    <message>
        <source>tokens that are learned from in a second</source>
        <translation>每秒从中学习的 token</translation>
    </message>
    <message>
        <source>two questions, two steps or two what-ifs have one name</source>
        <translation>两个问题、两个步骤或两个假设图同名</translation>
    </message>
    <message>
        <source>updates of others between the reading of weights and the use of their gradient, mean over updates</source>
        <translation>从读取权重到使用其梯度之间别人的更新次数，对更新求平均</translation>
    </message>
    <message>
        <source>what a device has room for: {}</source>
        <translation>设备能容纳：{}</translation>
    </message>
    <message>
        <source>{}, in {} bytes at most</source>
        <translation>{}，最多 {} 字节</translation>
    </message>
    <message>
        <source>{}, {} or {}, {} at most</source>
        <translation>{}、{} 或 {}，最多 {} 个</translation>
    </message>
    <message>
        <source>{}. Nearest legal: {}.</source>
        <translation>{}。最近的合法位置：{}。</translation>
    </message>
    <message>
        <source>{}: timeline, memory, step or curve</source>
        <translation>{}：timeline、memory、step 或 curve</translation>
    </message>
    <message>
        <source>Loss in pieces</source>
        <translation>分块计算损失</translation>
    </message>
    <message>
        <source>a piece has at least one token</source>
        <translation>一块至少有一个词元</translation>
    </message>
    <message>
        <source>loss in {} pieces: the logits are made again piece by piece, which takes {} of the last stage&apos;s backward</source>
        <translation>损失分 {} 块计算：logit 逐块重新算出，占最后一个阶段反向时间的 {}</translation>
    </message>
    <message>
        <source>modules·(3·4 + 4)·N</source>
        <translation>模块数·(3·4 + 4)·N</translation>
    </message>
    <message>
        <source>one piece is all tokens</source>
        <translation>一块就是全部词元</translation>
    </message>
    <message>
        <source>piece</source>
        <translation>块</translation>
    </message>
    <message>
        <source>pieces</source>
        <translation>块</translation>
    </message>
    <message>
        <source>sums of the loss, and its targets</source>
        <translation>损失的各个和，以及它的目标</translation>
    </message>
    <message>
        <source>sums of the losses of modules, and their targets</source>
        <translation>各模块损失的各个和，以及它们的目标</translation>
    </message>
    <message>
        <source>{} pieces of the {} tokens that a rank has of a microbatch</source>
        <translation>{} 块，而一个 rank 在一个微批次里有 {} 个词元</translation>
    </message>
    <message>
        <source>the logits of a microbatch are {} of the {} that rank {} needs: with memory.loss_pieces above 1 no more than one piece of them is there, and the backward makes them again</source>
        <translation>rank {2} 需要 {1}，其中一个微批次的 logit 占 {0}：memory.loss_pieces 大于 1 时，内存里只有其中一块，反向再重新算出</translation>
    </message>
    <message>
        <source>1; or parallel.zero 0, 1 or 2</source>
        <translation>1；或 parallel.zero 0、1 或 2</translation>
    </message>
    <message>
        <source>Pieces of a microbatch&apos;s tokens that the output projection and the loss take one after the other, so that no more than one piece&apos;s logits are ever in memory. The backward makes the logits of each piece again: once where it takes the gradients of inputs and weights together, and twice where a schedule splits it, ZeRO 2 shards gradients, or a tensor group splits the tokens. It does not go with ZeRO 3.</source>
        <translation>微批次的词元分成几块，依次经过输出投影和损失，任何时候内存里只有一块的 logit。反向重新算出每一块的 logit：输入梯度和权重梯度一起求时算一次；调度把反向分成两半、ZeRO 2 切分梯度、或张量组切分词元时算两次。不能与 ZeRO 3 一起用。</translation>
    </message>
    <message>
        <source>a loss in {} pieces with ZeRO 3</source>
        <translation>损失分 {} 块而用 ZeRO 3</translation>
    </message>
    <message>
        <source>the gradient of the output projection would make the logits again when the gathered weights are gone</source>
        <translation>求输出投影的梯度时要重新算出 logit，而那时收集来的权重已经不在</translation>
    </message>
</context>
</TS>
